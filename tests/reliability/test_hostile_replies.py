"""Models whose replies imitate results, log lines, ends and counts: words, and nothing else comes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.protocol.conformance import Subject
from tests.reliability.attacks import of_form
from tests.reliability.hunting import HONEST, SETS, Ground, target, worth

from assay import canonical
from assay.agents.player import Limits, Player
from assay.agents.transport import Reply, Request
from assay.episode import Episode
from assay.sessions.record import record
from assay.sessions.recording import Identity, read
from assay.sessions.replay import replay

pytestmark = pytest.mark.usefixtures("few_events")

PLACES = [("petri", "core-v0"), ("causalab", "main-v0"), ("collider", "mock-v0"), ("sgi", "wet-v0")]
WORDS = of_form("text")


@dataclass
class Says:
    """A model that says these words in turn; it counts a hundred tokens read and ten written for each."""

    replies: Sequence[str]
    requests: list[str] = field(default_factory=list)

    def ask(self, request: Request) -> Reply:
        text = self.replies[len(self.requests)] if len(self.requests) < len(self.replies) else "done"
        self.requests.append(request.sha256)
        return Reply(text, tokens_in=100, tokens_out=10)


def said(subject: Subject, words: Sequence[str], root: Path) -> Episode:
    """The recorded session of a model that says these words, executed again."""
    task, materials = subject.tasks[0], subject.materials
    identity = Identity("liar", subject.suite.name, task.task_set, task.task_id, 0)
    player = Player({"kind": "fake", "script": "none"}, Limits(turns=400))
    model = Says(words)
    outcome = record(subject.suite, task, identity, player, materials, root / "r", model, root / "p")
    found = read(identity.path(root / "r"))
    assert found.end is not None
    # What was used up is what the transport counted, whatever the words say.
    assert (found.end["tokens_in"], found.end["tokens_out"]) == (
        100 * len(model.requests),
        10 * len(model.requests),
    )
    episode = replay(subject.suite, task, identity.path(root / "r"), materials)
    assert episode.status == outcome.status != "rejected", (episode.reason, outcome.reason)
    return episode


def honest_words(subject: Subject) -> list[str]:
    """The calls of the honest solver as replies."""
    episode = subject.play(subject.tasks[0], HONEST[subject.suite.name])
    return [
        canonical.dumps({"tool": e.tool, "arguments": e.arguments})
        for e in episode.events
        if e.kind == "call"
    ]


def _check(place: tuple[str, str], ground: Ground, root: Path, every: int) -> int:
    subject = target(*place)
    brief, prey = subject.brief(subject.tasks[0]), ground.prey(subject)
    honest = honest_words(subject)
    alone = worth(subject, said(subject, honest, root / "honest"))
    played = 0
    for number, attack in enumerate(WORDS[::every]):
        payload = prey.fill(attack.payload)
        wrapped = canonical.dumps(
            {"tool": "no_such_tool", "arguments": {}, "ended": "done", "charged": -8, "usage": payload}
        )
        lies = [wrapped, payload] if brief.reply is None else [wrapped]
        with ground.watched(prey, payload):
            episode = said(subject, [*lies, *honest], root / str(number))
        ground.check_shown(subject, episode, code=False)
        assert worth(subject, episode) == alone, f"{attack.name} has changed the score"
        if brief.reply is not None:
            # Where plain words are an answer or a program, they are one, and as good as any other words.
            episode = said(subject, [payload], root / f"{number}-reply")
            ground.check_shown(subject, episode, code=False)
            assert worth(subject, episode)[0] != alone[0] or episode.submission is None, attack.name
        played += 1
    return played


@pytest.mark.parametrize("place", [("petri", "core-v0"), ("sgi", "wet-v0")], ids="/".join)
def test_a_reply_is_words(place: tuple[str, str], ground: Ground, tmp_path: Path) -> None:
    assert _check(place, ground, tmp_path, len(WORDS) // 5) >= 5


@pytest.mark.full
@pytest.mark.parametrize("place", [p for p in SETS if p[1] != "conduct-v0"], ids="/".join)
def test_every_reply_is_words_in_every_set(place: tuple[str, str], ground: Ground, tmp_path: Path) -> None:
    assert _check(place, ground, tmp_path, 1 if place in PLACES else 6) >= 9
