"""Signed statements: in-toto Statements in DSSE envelopes with Ed25519, made and checked without a network.

References:
    in-toto Attestation Framework, Statement v1. Dead Simple Signing Envelope (DSSE), protocol v1.0.2.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay import canonical
from assay.admission.archive import AGAIN, Refusal
from assay.admission.ledger import Ledger
from assay.errors import AssayError, ConfigError
from assay.writing import write_whole

if TYPE_CHECKING:
    from assay.admission.bundle import Bundle

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PAYLOAD_TYPE = "application/vnd.in-toto+json"
ADMISSION = "urn:assay:predicate:admission:v1"
"""The type of the statement in which a submitter names the agent, entry, sets and attempts of a bundle."""

REBUILD = "urn:assay:predicate:rebuild:v1"
"""The predicate of a statement about a rebuild: the verdict on each suite, and the rows of each agent."""


class StatementError(AssayError):
    """A statement cannot be read, or its signature does not hold."""


@dataclass(frozen=True)
class Signed:
    """A statement whose signature holds.

    Attributes:
        statement: The in-toto Statement.
        key: The identifier of the key: the sha256 of the public key.
        public: The public key, 32 bytes in base64.
    """

    statement: Mapping[str, Any]
    key: str
    public: str


def statement(
    subjects: Mapping[str, str], predicate_type: str, predicate: Mapping[str, Any]
) -> dict[str, Any]:
    """Return an in-toto Statement.

    Args:
        subjects: The sha256 (hex) of each subject by its name.
        predicate_type: The URI of the kind of statement.
        predicate: The content of the statement, which depends on the kind.
    """
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": name, "digest": {"sha256": sha}} for name, sha in sorted(subjects.items())],
        "predicateType": predicate_type,
        "predicate": dict(predicate),
    }


def new_key(path: Path) -> str:
    """Write a new private key (32 bytes, hexadecimal) to a file that only its owner can read.

    Returns:
        The public key in base64.

    Raises:
        ConfigError: If the file exists.
    """
    ed25519 = _ed25519()
    if path.exists():
        raise ConfigError(f"{path} exists already", "name another file; a key is never overwritten")
    key = ed25519.Ed25519PrivateKey.generate()
    path.touch(mode=0o600)
    path.write_text(key.private_bytes_raw().hex() + "\n")
    public: str = base64.b64encode(key.public_key().public_bytes_raw()).decode()
    return public


def unsigned(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the DSSE envelope of a statement without a signature; no ledger accepts it."""
    data = canonical.dumps(dict(payload)).encode()
    return {
        "payload": base64.b64encode(data).decode(),
        "payloadType": PAYLOAD_TYPE,
        "signatures": [],
    }


def sign(payload: Mapping[str, Any], key_file: Path) -> dict[str, Any]:
    """Return the DSSE envelope of a statement. Equal statements and keys give equal bytes.

    Raises:
        ConfigError: If the file holds no private key.
    """
    try:
        key = _ed25519().Ed25519PrivateKey.from_private_bytes(bytes.fromhex(key_file.read_text().strip()))
    except (OSError, ValueError) as problem:
        raise ConfigError(
            f"{key_file} holds no private key ({problem})", "make one: assay ledger key new FILE"
        ) from problem
    public = key.public_key().public_bytes_raw()
    data = canonical.dumps(dict(payload)).encode()
    return {
        **unsigned(payload),
        "signatures": [
            {
                "keyid": key_id(public),
                "public": base64.b64encode(public).decode(),
                "sig": base64.b64encode(key.sign(_authenticated(data))).decode(),
            }
        ],
    }


def opened(data: bytes) -> Signed:
    """Check the signature of an envelope, and return its statement.

    Raises:
        StatementError: If it is no envelope of a statement, or the signature does not hold.
    """
    remedy = "sign the statement anew: assay submit ... --key FILE, assay verify --statement FILE --key FILE"
    try:
        envelope = canonical.loads(data)
        if envelope["signatures"] == []:
            raise StatementError("the statement is not signed", remedy)
        payload = base64.b64decode(envelope["payload"], validate=True)
        (signature,) = envelope["signatures"]
        public = base64.b64decode(signature["public"], validate=True)
        sig = base64.b64decode(signature["sig"], validate=True)
        value = canonical.loads(payload)
        subjects = [(each["name"], each["digest"]["sha256"]) for each in value["subject"]]
        known = (envelope["payloadType"], value["_type"]) == (PAYLOAD_TYPE, STATEMENT_TYPE) and subjects
        named = signature["keyid"] == key_id(public) and canonical.dumps(value).encode() == payload
    except (ValueError, KeyError, TypeError, binascii.Error) as problem:
        raise StatementError(f"this is no signed statement ({type(problem).__name__})", remedy) from problem
    if not known or not named:
        raise StatementError("this is no signed statement of the known form", remedy)
    ed25519 = _ed25519()
    try:
        ed25519.Ed25519PublicKey.from_public_bytes(public).verify(sig, _authenticated(payload))
    except Exception as problem:  # InvalidSignature of cryptography, and ValueError for bytes of another size
        raise StatementError("the signature does not hold", remedy) from problem
    return Signed(value, key_id(public), base64.b64encode(public).decode())


def key_id(public: bytes) -> str:
    """Return the identifier of a public key."""
    return hashlib.sha256(public).hexdigest()


def _authenticated(payload: bytes) -> bytes:
    """Return the bytes that are signed: the pre-authentication encoding of DSSE."""
    kind = PAYLOAD_TYPE.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def _ed25519() -> Any:
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError as problem:
        raise ConfigError(
            "signed statements need the package cryptography", "install it: make setup EXTRAS=models"
        ) from problem
    return ed25519


# ------------------------------------------------------------ of bundles


def of_bundle(head: Mapping[str, Any], entry_sha256: str) -> dict[str, Any]:
    """Return the statement that a submitter signs: the bundle's root with agent, entry, sets and attempts."""
    predicate = {
        "agent": head["agent"],
        "entry_sha256": entry_sha256,
        "sets": sorted(head["sets"]),
        "attempts": head["attempts"],
    }
    return statement({f"{head['agent']}.assay": head["root"]}, ADMISSION, predicate)


def signer(bundle: Bundle, ledger: Ledger) -> str | None:
    """Return the key that signed a bundle, `None` for an unsigned one.

    Raises:
        Refusal: If the signature does not hold, is not about this bundle, or another key is due.
    """
    due = keys_of(ledger, bundle.head.agent)
    if bundle.statement is None:
        if due:
            raise Refusal(
                "signature", "statement.json", "the agent's bundles are signed, and this is not", AGAIN
            )
        return None
    try:
        signed = opened(bundle.statement)
    except StatementError as problem:
        raise Refusal("signature", "statement.json", problem.message, problem.remedy) from problem
    expected = of_bundle(bundle.head.model_dump(mode="json"), bundle.entry_sha256)
    if signed.statement != expected:
        raise Refusal("signature", "statement.json", "it is about another bundle", AGAIN)
    if due and signed.key not in due:
        raise Refusal("signature", "statement.json", "it was signed with another key than before", AGAIN)
    return signed.key


def keys_of(ledger: Ledger, agent: str) -> set[str]:
    """Return the keys with which an agent's bundles are signed: registered for it, or used before."""
    registered = {
        line.facts["key"]
        for line in ledger.of("key")
        if line.subject == agent and line.facts["role"] == "submitter"
    }
    return registered | {
        line.facts["key"] for line in ledger.of("admit") if line.facts["agent"] == agent and line.facts["key"]
    }


# ------------------------------------------------------------ of rebuilds


def of_rebuild(manifest_sha256: str, verdicts: Mapping[str, str], rows: Mapping[str, str]) -> dict[str, Any]:
    """Return the statement of somebody who rebuilt the results.

    Two builds of the same state give the same bytes: the statement says nothing about the machine.

    Args:
        manifest_sha256: The hash of the frozen manifest.
        verdicts: The verdict on each suite.
        rows: The hash of each agent's rows of the leaderboard (`row_digests`).
    """
    predicate = {"suites": dict(sorted(verdicts.items())), "rows": dict(sorted(rows.items()))}
    return statement({"results/MANIFEST": manifest_sha256}, REBUILD, predicate)


def row_digests(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return a hash of each agent's rows of the leaderboard.

    The rungs are left out, because a statement about a rebuild can change them.

    Args:
        rows: All rows of the table `leaderboard`, in its order.
    """
    by_agent: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row["kind"] != "quoted":
            shown = {name: value for name, value in row.items() if name != "rungs"}
            by_agent.setdefault(row["agent"], []).append(shown)
    return {agent: canonical.digest(each) for agent, each in sorted(by_agent.items())}


def platform_facts() -> dict[str, str]:
    """Return facts about this machine that stand beside a statement, unsigned and outside its payload."""
    return {
        "machine": platform.machine(),
        "python": platform.python_version(),
        "system": platform.system(),
    }


def write(envelope: Mapping[str, Any], path: Path) -> None:
    """Write an envelope as canonical JSON."""
    write_whole(path, canonical.dumps(dict(envelope)) + "\n")


def side_by_side(files: Sequence[Path]) -> list[dict[str, Any]]:
    """Return the contents of several signed statements, one row for each file.

    Raises:
        StatementError: If a file is no statement, is not signed, or its signature does not hold.
    """
    rows = []
    for file in files:
        try:
            signed = opened(file.read_bytes())
        except OSError as problem:
            raise StatementError(f"{file} cannot be read ({problem.strerror})", "name a file") from problem
        except StatementError as problem:
            raise StatementError(f"{file}: {problem.message}", problem.remedy) from problem
        value = signed.statement
        rows.append(
            {
                "file": str(file),
                "key": signed.key[:12],
                "kind": value["predicateType"].rsplit(":", 2)[-2],
                "subject": value["subject"][0]["digest"]["sha256"][:12],
                **value["predicate"],
            }
        )
    return rows
