"""Bundles that must be refused: each kind spoils a good one in one way, and names the code that is due."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from assay import canonical
from assay.admission import archive, merkle
from assay.admission.bundle import CARD, HEAD, RECORDINGS, STATEMENT, leaf

Members = dict[str, bytes]
Spoil = Callable[[Members, int], bytes]


@dataclass(frozen=True)
class Bad:
    """A way to spoil a bundle.

    Attributes:
        name: What is done.
        code: The code of the refusal that is due.
        spoil: Returns the file; the number varies the place.
    """

    name: str
    code: str
    spoil: Spoil


BAD: list[Bad] = []


def bad(code: str) -> Callable[[Spoil], Spoil]:
    def register(spoil: Spoil) -> Spoil:
        BAD.append(Bad(spoil.__name__, code, spoil))
        return spoil

    return register


def head(members: Members) -> dict[str, Any]:
    value: dict[str, Any] = canonical.loads(members[HEAD])
    return value


def sealed(members: Members, **changed: Any) -> bytes:
    """The file after a change, with list, hashes and root made again as a forger would."""
    value = {**head(members), **changed}
    rest = {name: data for name, data in members.items() if name not in (HEAD, STATEMENT)}
    value["members"] = [
        {"name": name, "sha256": _sha(rest[name]), "size": len(rest[name])} for name in sorted(rest)
    ]
    value["root"] = merkle.root([leaf(name, rest[name]) for name in sorted(rest)])
    return archive.pack({**members, HEAD: (canonical.dumps(value) + "\n").encode()})


def raw(members: Mapping[str, bytes], change: Callable[[tarfile.TarInfo], None], extra: str = "") -> bytes:
    """The file with changed tar entries, and one more entry of a name."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in [*sorted(members), *([extra] if extra else [])]:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(members.get(name, b"x")), 0o644
            change(entry)
            tar.addfile(entry, io.BytesIO(members.get(name, b"x")[: entry.size]))
    data: bytes = pa.Codec("zstd").compress(buffer.getvalue(), asbytes=True)
    return data


def sessions(members: Members) -> list[str]:
    return sorted(name for name in members if name.startswith(RECORDINGS))


def lines(data: bytes) -> list[dict[str, Any]]:
    return [canonical.loads(line) for line in data.splitlines()]


def chained(values: list[dict[str, Any]]) -> bytes:
    """The recording with these lines and a chain made again."""
    from assay.sessions.recording import _bound

    chain, texts = "", []
    for value in values:
        text, chain = _bound({key: inner for key, inner in value.items() if key != "chain"}, chain)
        texts.append(text)
    return "".join(text + "\n" for text in texts).encode()


def edited(members: Members, number: int, change: Callable[[list[dict[str, Any]]], object]) -> bytes:
    name = sessions(members)[number % len(sessions(members))]
    values = lines(members[name])
    change(values)
    return sealed({**members, name: chained(values)})


def _sha(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()


@bad("archive")
def cut_off(members: Members, number: int) -> bytes:
    data = archive.pack(members)
    return data[: len(data) // 2 + number]


@bad("archive")
def not_compressed(members: Members, number: int) -> bytes:
    return b"this is no bundle" * (number + 1)


@bad("archive")
def more_behind_the_end(members: Members, number: int) -> bytes:
    tar = pa.Codec("zstd")
    plain = pa.input_stream(pa.BufferReader(archive.pack(members)), compression="zstd").read()
    data: bytes = tar.compress(plain + b"\0" * 512 + b"hidden" * (number + 1), asbytes=True)
    return data


@bad("size")
def a_bomb(members: Members, number: int) -> bytes:
    data: bytes = pa.Codec("zstd").compress(b"\0" * ((1 << 25) + number), asbytes=True)
    return data


@bad("size")
def a_member_that_unpacks_to_much(members: Members, number: int) -> bytes:
    return archive.pack({**members, CARD: b"#" * ((1 << 25) + number)})


@bad("member")
def a_path_upwards(members: Members, number: int) -> bytes:
    return raw(members, lambda entry: None, "recordings/" + "../" * (number + 1) + "x.0.jsonl")


@bad("member")
def an_absolute_path(members: Members, number: int) -> bytes:
    return raw(members, lambda entry: None, f"/tmp/{number}.jsonl")


@bad("member")
def an_unknown_member(members: Members, number: int) -> bytes:
    return raw(members, lambda entry: None, f"zz{number}.py")


@bad("member")
def a_control_character_in_a_name(members: Members, number: int) -> bytes:
    return raw(members, lambda entry: None, f"recordings/madeup/x/a{chr(1 + number)}.0.jsonl")


@bad("member")
def a_capital_letter_in_a_name(members: Members, number: int) -> bytes:
    return raw(members, lambda entry: None, f"recordings/madeup/madeup-v0/URN-{number}.0.jsonl")


@bad("member")
def a_link(members: Members, number: int) -> bytes:
    def change(entry: tarfile.TarInfo) -> None:
        if entry.name == sessions(members)[number % len(sessions(members))]:
            entry.type, entry.linkname, entry.size = tarfile.SYMTYPE, "/etc/passwd", 0

    return raw(members, change)


@bad("member")
def a_device(members: Members, number: int) -> bytes:
    def change(entry: tarfile.TarInfo) -> None:
        if entry.name == CARD:
            entry.type, entry.size = tarfile.CHRTYPE, 0

    return raw(members, change)


@bad("member")
def a_member_twice(members: Members, number: int) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in [*sorted(members), sorted(members)[number % len(members)]]:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(members[name]), 0o644
            tar.addfile(entry, io.BytesIO(members[name]))
    data: bytes = pa.Codec("zstd").compress(buffer.getvalue(), asbytes=True)
    return data


@bad("member")
def an_executable(members: Members, number: int) -> bytes:
    def change(entry: tarfile.TarInfo) -> None:
        entry.mode = 0o755

    return raw(members, change)


@bad("member")
def a_member_that_is_not_listed(members: Members, number: int) -> bytes:
    return archive.pack({**members, f"recordings/madeup/madeup-v0/urn-9{number:03d}.0.jsonl": b"\n"})


@bad("member")
def a_listed_member_that_is_not_there(members: Members, number: int) -> bytes:
    gone = sessions(members)[number % len(sessions(members))]
    return archive.pack({name: data for name, data in members.items() if name != gone})


@bad("member")
def no_card(members: Members, number: int) -> bytes:
    return archive.pack({name: data for name, data in members.items() if name != CARD})


@bad("digest")
def a_changed_recording(members: Members, number: int) -> bytes:
    name = sessions(members)[number % len(sessions(members))]
    return archive.pack({**members, name: members[name] + b"\n"})


@bad("digest")
def a_changed_card(members: Members, number: int) -> bytes:
    return archive.pack({**members, CARD: members[CARD] + b"# %d\n" % number})


@bad("digest")
def another_root(members: Members, number: int) -> bytes:
    value = {**head(members), "root": f"{number:064x}"}
    return archive.pack({**members, HEAD: canonical.dumps(value).encode()})


@bad("json")
def a_key_twice(members: Members, number: int) -> bytes:
    text = members[HEAD].decode()
    return archive.pack({**members, HEAD: text.replace("{", f'{{"attempts":{number + 1},', 1).encode()})


@bad("json")
def not_a_number(members: Members, number: int) -> bytes:
    return archive.pack({**members, HEAD: members[HEAD].replace(b'"attempts":1', b'"attempts":NaN')})


@bad("json")
def deep_json(members: Members, number: int) -> bytes:
    return archive.pack({**members, HEAD: b"[" * (10**6 + number)})


@bad("schema")
def an_unknown_version(members: Members, number: int) -> bytes:
    return sealed(members, version=2 + number)


@bad("schema")
def an_unknown_field(members: Members, number: int) -> bytes:
    return sealed(members, **{f"extra-{number}": 1})


@bad("schema")
def a_card_without_a_name(members: Members, number: int) -> bytes:
    return sealed({**members, CARD: b"maker: somebody %d\n" % number})


@bad("schema")
def a_card_with_a_strange_field(members: Members, number: int) -> bytes:
    return sealed({**members, CARD: members[CARD] + b"score%d: 100\n" % number})


@bad("entry")
def an_entry_that_is_no_model(members: Members, number: int) -> bytes:
    return sealed(members, entry={**head(members)["entry"], "attempts": -number})


@bad("entry")
def other_attempts_than_the_entry(members: Members, number: int) -> bytes:
    return sealed(members, attempts=2 + number)


@bad("set")
def a_set_of_other_tasks(members: Members, number: int) -> bytes:
    sets = {name: {**facts, "sha256": f"{number:064x}"} for name, facts in head(members)["sets"].items()}
    return sealed(members, sets=sets)


@bad("set")
def an_unknown_set(members: Members, number: int) -> bytes:
    return sealed(members, sets={f"madeup/other-{number}": {"sha256": "0" * 64, "tasks": 7}})


@bad("name")
def the_name_of_an_agent_that_is_here(members: Members, number: int) -> bytes:
    return sealed(members, agent="exact")


@bad("complete")
def a_dropped_session(members: Members, number: int) -> bytes:
    gone = sessions(members)[number % len(sessions(members))]
    return sealed({name: data for name, data in members.items() if name != gone})


@bad("complete")
def a_renumbered_attempt(members: Members, number: int) -> bytes:
    name = sessions(members)[number % len(sessions(members))]
    moved = {key: data for key, data in members.items() if key != name}
    return sealed(
        {**moved, name.replace(".0.jsonl", f".{number + 1}.0.jsonl".replace(".0.", ".")): members[name]}
    )


@bad("complete")
def a_session_beyond_the_set(members: Members, number: int) -> bytes:
    name = sessions(members)[0]
    return sealed({**members, f"recordings/madeup/madeup-v0/urn-8{number:03d}.0.jsonl": members[name]})


@bad("complete")
def a_session_that_is_missing_and_there(members: Members, number: int) -> bytes:
    name = sessions(members)[number % len(sessions(members))]
    task = name.rpartition("/")[2].removesuffix(".0.jsonl")
    gone = {"task_set": "madeup/madeup-v0", "task_id": task, "attempt": 0, "reason": "crashed"}
    return sealed(members, missing=[gone])


@bad("replay")
def a_session_of_another_task(members: Members, number: int) -> bytes:
    names = sessions(members)
    first, second = names[number % len(names)], names[(number + 1) % len(names)]
    return sealed({**members, first: members[second]})


@bad("replay")
def an_edited_result(members: Members, number: int) -> bytes:
    def change(values: list[dict[str, Any]]) -> None:
        event = next(value for value in values if value["kind"] == "event")
        event["event"]["parts"] = ["a better result", number]

    return edited(members, number, change)


@bad("replay")
def a_broken_chain(members: Members, number: int) -> bytes:
    name = sessions(members)[number % len(sessions(members))]
    rows = members[name].splitlines()
    return sealed({**members, name: b"\n".join([rows[0], *rows[2:]]) + b"\n"})


@bad("replay")
def edited_counters(members: Members, number: int) -> bytes:
    def change(values: list[dict[str, Any]]) -> None:
        values[-1]["counters"] = {**values[-1]["counters"], "calls": 100 + number}

    return edited(members, number, change)


@bad("replay")
def another_brief(members: Members, number: int) -> bytes:
    def change(values: list[dict[str, Any]]) -> None:
        values[0]["brief_sha256"] = f"{number:064x}"

    return edited(members, number, change)


@bad("replay")
def another_version_of_the_task(members: Members, number: int) -> bytes:
    def change(values: list[dict[str, Any]]) -> None:
        values[0]["task_sha256"] = f"{number:064x}"

    return edited(members, number, change)


@bad("complete")
def an_unfinished_session(members: Members, number: int) -> bytes:
    return edited(members, number, lambda values: values.pop())


@bad("complete")
def a_session_declared_broken_off(members: Members, number: int) -> bytes:
    """A session that went badly gets the end of a lost connection, which would have no score."""

    def change(values: list[dict[str, Any]]) -> None:
        values[-1] |= {"status": ("transport", "crashed")[number % 2], "submission": None}

    return edited(members, number, change)


@bad("signature")
def a_signature_that_is_none(members: Members, number: int) -> bytes:
    return archive.pack({**members, STATEMENT: b'{"payload":"%d"}' % number})


def every(each: int) -> Iterator[tuple[Bad, int]]:
    """Each kind, several times."""
    return ((kind, number) for kind in BAD for number in range(each))
