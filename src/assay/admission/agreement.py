"""Whether the tree holds what the ledger says: for each admitted agent its entry and its recordings."""

from __future__ import annotations

from assay import canonical
from assay.admission.admit import BUNDLES, ENTRIES, entry_text
from assay.admission.archive import Refusal
from assay.admission.bundle import open_bundle
from assay.admission.ledger import Ledger
from assay.config.models import Config
from assay.sessions.recording import find


def disagreements(ledger: Ledger, config: Config) -> list[str]:
    """Return what differs between the admitted bundles and the tree, one sentence each, with the line.

    A bundle that is kept elsewhere is not compared.

    Args:
        ledger: The ledger, whose lines hold together.
        config: The configuration of the project.
    """
    problems = []
    folder, recordings = ledger.folder, config.project.recordings
    present = {line.facts["agent"]: line for line in ledger.admitted}
    for path in sorted((folder / ENTRIES).glob("*.json")):
        if path.stem not in present:
            problems.append(f"{path}: no line admits the agent")
    for agent, line in present.items():
        path = folder / BUNDLES / f"{line.subject}.assay.tar.zst"
        if not path.is_file():
            continue
        try:
            bundle = open_bundle(path)
        except Refusal as refusal:
            problems.append(f"line {line.n}: its bundle is damaged ({refusal.message})")
            continue
        if bundle.head.root != line.subject:
            problems.append(f"line {line.n}: the bundle {path.name} has another root")
            continue
        entry = folder / ENTRIES / f"{agent}.json"
        if not entry.is_file() or entry.read_text() != entry_text(bundle):
            problems.append(f"line {line.n}: {entry} is not what the bundle says")
        here = {identity: file.read_bytes() for identity, file in find(recordings, agent)}
        for identity in sorted(here.keys() | bundle.recordings.keys(), key=lambda each: each.name):
            if here.get(identity) != bundle.recordings.get(identity):
                problems.append(f"line {line.n}: the recording {identity.name} is not that of the bundle")
                break
        if canonical.digest(bundle.head.entry) != line.facts["entry_sha256"]:
            problems.append(f"line {line.n}: the entry of the bundle has another hash")
    return problems
