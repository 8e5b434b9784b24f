"""Projects: their start, their members, and a month of work on them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.suites.pilab.environment.parameters import TOPICS, Parameters
from assay.suites.pilab.environment.randomness import mean
from assay.suites.pilab.lab.entities import RESEARCHERS, Draft, Member, Project, Refused

if TYPE_CHECKING:
    from assay.suites.pilab.lab.state import Lab

MOST_COMPUTE = 50_000
AUTHORSHIP = 0.5
"""The part of an equal share of a project's work that makes an author in the mode `closed`."""

SCOOPABLE = 0.25
"""The share of the work from which on other groups can scoop a project."""


def find_active(lab: Lab, identifier: str) -> Project:
    """Return the active project with this id.

    Raises:
        Refused: there is no such project.
    """
    project = lab.projects.get(identifier)
    if project is None or project.status != "active":
        raise Refused(f"there is no active project {identifier!r}")
    return project


def check_compute(lab: Lab, compute: float) -> None:
    """Check that an amount of compute, in dollars a month, can be bought.

    Raises:
        Refused: the amount is out of range.
    """
    if compute < 0 or compute > MOST_COMPUTE or (lab.rules.checked and not math.isfinite(compute)):
        raise Refused(f"monthly compute must be a number from 0 to {MOST_COMPUTE}")


def start(lab: Lab, topic: str, tier: int, members: list[str], compute: float) -> Project:
    """Start a project that buys `compute` dollars of compute each month.

    Raises:
        Refused: an argument is not valid, or the lab runs too many projects.
    """
    if topic not in TOPICS:
        raise Refused(f"unknown topic {topic!r}; the topics are {', '.join(TOPICS)}")
    if tier not in (1, 2, 3):
        raise Refused("tier must be 1, 2 or 3")
    if not members:
        raise Refused("a project needs at least one member")
    for identifier in members:
        if identifier not in lab.members or not lab.members[identifier].active:
            raise Refused(f"{identifier!r} is not an active member of the lab")
    if lab.rules.checked and len(set(members)) < len(members):
        raise Refused("members must be different people")
    check_compute(lab, compute)
    p = lab.parameters
    if len(lab.active_projects()) >= p.most_projects:
        raise Refused(f"the lab can run {p.most_projects} projects at once")
    k = TOPICS.index(topic)
    work, dead_end, _ = p.tiers[tier - 1]
    busy = {identifier for project in lab.active_projects() for identifier in project.members}
    runway = lab.runway()
    context = {
        "hot_at_start": round(lab.field.hot[k], 3),
        "future_hot": round(mean([lab.field.hot_at(lab.month + ahead)[k] for ahead in range(1, 13)]), 3),
        "runway_at_start": round(runway, 1) if math.isfinite(runway) else None,
        "idle_at_start": sum(member.id not in busy for member in lab.researchers()),
    }
    identifier = lab.next_id("PJ", lab.month, min(members))
    generator = lab.random.at(f"feas|{identifier}")
    feasible = generator.random() >= dead_end
    novelty = 1.0 + 0.1 * generator.standard_normal() - p.novelty_crowd * (lab.field.crowd[k] - 1)
    project = Project(
        id=identifier,
        topic=k,
        tier=tier,
        members=list(members),
        compute=compute,
        started=lab.month,
        feasible=feasible,
        novelty=min(max(novelty, 0.3), 1.3),
        work=work,
        context=context,
    )
    lab.projects[identifier] = project
    lab.running.append(project)
    return project


def set_compute(lab: Lab, identifier: str, compute: float) -> None:
    """Change the dollars of compute that a project buys each month."""
    project = find_active(lab, identifier)
    check_compute(lab, compute)
    project.compute = compute


def assign(lab: Lab, identifier: str, member: str) -> Project:
    """Put a member on a project; nothing changes if the member is on it already."""
    project = find_active(lab, identifier)
    if member not in lab.members or not lab.members[member].active:
        raise Refused(f"{member!r} is not an active member of the lab")
    if member not in project.members:
        project.members.append(member)
    return project


def unassign(lab: Lab, identifier: str, member: str) -> Project:
    """Take a member off a project; nothing changes if the member is not on it."""
    project = find_active(lab, identifier)
    if member in project.members:
        project.members.remove(member)
    return project


def kill(lab: Lab, identifier: str) -> None:
    """End a project without a result, which lowers the morale of its members."""
    project = find_active(lab, identifier)
    lab.end(project, "killed")
    lab.disappoint(project.members, 0.15)


def advance(lab: Lab) -> None:
    """Play a month of all projects: news of scoops, work, new scoops, dead ends and completions."""
    month, p = lab.month, lab.parameters
    memberships = lab.memberships()
    for project in lab.projects.values():
        if project.news_due == month:
            topic = TOPICS[project.topic]
            lab.tell("scoop", topic, f"Another group published results close to {project.id} ({topic})")
            project.news_due = None
            project.announced = project.scooped
    for project in lab.active_projects():
        pace, rivals = lab.random.monthly("project", project.id, month)
        team = [lab.members[identifier] for identifier in project.members if lab.members[identifier].active]
        _work(project, team, memberships, pace, p)
        k = project.topic
        project.novelty = max(0.3, project.novelty - p.novelty_loss * lab.field.crowd[k])
        if project.progress / project.work >= SCOOPABLE:
            chance = p.scoop_base * lab.field.crowd[k]
            if rivals < chance:
                project.novelty *= p.scoop_novelty
                project.scooped += 1
                project.news_due = month + 1
                lab.disappoint(project.members, 0.2)
        if not project.feasible and project.progress >= p.dead_end_shows * project.work:
            lab.end(project, "deadend")
            lab.disappoint(project.members, 0.15)
            if lab.random.uniform(f"salvage|{project.id}") < p.salvage:
                quality = 1.5 + (2.8 - 1.5) * lab.random.uniform(f"salvageq|{project.id}")
                write_up(lab, project, quality, salvage=True)
        elif project.progress >= project.work:
            lab.end(project, "completed")
            write_up(lab, project, _quality(lab, project))


def _effort(member: Member, memberships: dict[str, int]) -> float:
    """Return a member's effort on each of its projects in a month."""
    alone = member.independence
    effort: float = (
        member.speed
        * member.skill
        * (0.5 + 0.5 * member.morale)
        * (alone + (1 - alone) * min(member.mentoring, 6.0) / 6.0)
        / max(1, memberships.get(member.id, 0))
    )
    return effort


def _work(
    project: Project, team: list[Member], memberships: dict[str, int], pace: float, p: Parameters
) -> None:
    """Add a month's work of a team to its project; `pace` is a standard normal number."""
    effort = 0.0
    shares = project.shares
    for member in team:
        share = _effort(member, memberships)
        effort += share
        shares[member.id] = shares.get(member.id, 0.0) + share
    project.ticks += 1
    project.compute_sum += project.compute
    if team:
        weight = max(effort, 1e-6)
        project.talent_sum += mean([member.skill * member.ability for member in team]) * weight
        project.effort_sum += weight
    if effort > 0:
        noise = 1.0 + p.progress_noise * pace
        compute = 1 + p.compute_progress * math.log1p(project.compute / p.compute_unit)
        project.progress += p.progress * effort**0.9 * compute * max(0.1, noise)


def _quality(lab: Lab, project: Project) -> float:
    p = lab.parameters
    talent = project.talent_sum / project.effort_sum if project.effort_sum else 0.2
    compute = project.compute_sum / project.ticks
    generator = lab.random.at(f"quality|{project.id}")
    noise = p.quality_noise * generator.standard_normal()
    quality = (
        p.tiers[project.tier - 1][2]
        + p.quality_skill * talent
        + p.quality_novelty * (project.novelty - 0.6)
        + p.quality_compute * math.log1p(compute / p.compute_unit)
        + noise
    )
    if project.tier == 3 and generator.random() < p.breakthrough:
        quality += p.breakthrough_gain
    return min(max(quality, 0.5), 10.0)


def _authors(lab: Lab, project: Project) -> list[str]:
    """Return the members who become authors; research assistants and managers do not.

    In the mode `closed` an author has done at least half of an equal share of the researchers' work. As
    published, whoever is a member in the last month is an author.
    """
    members = [identifier for identifier in project.members if lab.members[identifier].role in RESEARCHERS]
    if not lab.rules.closed:
        return members
    efforts = [effort for who, effort in project.shares.items() if lab.members[who].role in RESEARCHERS]
    least = AUTHORSHIP * math.fsum(efforts) / max(1, len(efforts))
    return [identifier for identifier in members if project.shares.get(identifier, 0.0) >= least > 0]


def write_up(lab: Lab, project: Project, quality: float, *, salvage: bool = False) -> None:
    """Make a draft of a project."""
    draft = Draft(
        id=lab.next_id("D", project.id),
        project=project.id,
        topic=project.topic,
        tier=project.tier,
        authors=_authors(lab, project),
        created=lab.month,
        quality=quality,
        salvage=salvage,
    )
    lab.drafts[draft.id] = draft
    project.draft = draft.id
