"""People in the lab: mentoring, morale, growth and departures, and the hiring of postdocs and staff."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from assay.suites.pilab.environment.generators import Generator
from assay.suites.pilab.environment.parameters import REPUTATION_START, Parameters
from assay.suites.pilab.environment.randomness import mean
from assay.suites.pilab.lab.entities import Member, Refused, Search

if TYPE_CHECKING:
    from assay.suites.pilab.lab.state import Lab

MOST_MENTORING = 40
EXTENSION = 12

# Names of people. Random draws depend on how many names there are, not on the names.
GIVEN = (
    "Ada", "Bela", "Chidi", "Dana", "Emre", "Farah", "Goran", "Hana", "Imani", "Jonas",
    "Kaya", "Liang", "Maya", "Nils", "Olga", "Pedro", "Quinn", "Rosa", "Sami", "Tara",
    "Umar", "Vera", "Wen", "Xenia", "Yusuf", "Zoe", "Anton", "Bea", "Carlos", "Dilnoza",
)  # fmt: skip
FAMILY = (
    "Abe", "Baum", "Castro", "Diallo", "Eriksen", "Fontaine", "Gupta", "Horvat", "Ito", "Jensen",
    "Kowalski", "Lopez", "Mori", "Ndlovu", "Okafor", "Petrov", "Quispe", "Rossi", "Sato", "Tran",
    "Ueda", "Varga", "Wagner", "Xu", "Yilmaz", "Zhang", "Amari", "Brandt", "Cho", "Dubois",
)  # fmt: skip


def name(given: float, family: float) -> str:
    """Return the name with two indices, each from 0 to 29."""
    return f"{GIVEN[int(given)]} {FAMILY[int(family)]}"


def draw_name(generator: Generator) -> str:
    return name(int(generator.integers(30)), int(generator.integers(30)))


def set_mentoring(lab: Lab, hours: dict[str, float]) -> float:
    """Set the hours of mentoring that members get each month, and return the new total of all members."""
    for identifier, h in hours.items():
        if identifier not in lab.members or not lab.members[identifier].active:
            raise Refused(f"{identifier!r} is not an active member of the lab")
        if h < 0 or h > MOST_MENTORING or (lab.rules.checked and not math.isfinite(h)):
            raise Refused(f"hours of mentoring must be a number from 0 to {MOST_MENTORING}")
    total = 0.0
    for member in lab.present:
        total += hours.get(member.id, member.mentoring)
    pool = lab.pool()
    if total + lab.oneoff > pool + 1e-9:
        raise Refused(
            f"{total:g} hours of mentoring and {lab.oneoff:g} spent are more than the {pool:g} of this month"
        )
    for identifier, h in hours.items():
        lab.members[identifier].mentoring = h
    return total


def post_postdoc(lab: Lab) -> Search:
    """Advertise a postdoc position; the search is decided about two months later."""
    waiting = sum(not search.resolved for search in lab.searches.values())
    capacity = lab.parameters.capacity
    if len(lab.researchers()) + waiting >= capacity or (lab.rules.closed and room(lab) <= 0):
        raise Refused(f"the lab has room for {capacity} researchers")
    lab.pay("recruiting", -lab.parameters.advertisement, "postdoc search")
    search = Search(lab.next_id("PDsearch", lab.month), lab.month)
    lab.searches[search.id] = search
    return search


def renew_postdoc(lab: Lab, identifier: str) -> Member:
    """Extend by a year the contract of a postdoc that ends within 3 months."""
    member = lab.members.get(identifier)
    if member is None or not member.active or member.role != "postdoc":
        raise Refused(f"{identifier!r} is not an active postdoc")
    assert member.contract_end is not None
    if member.contract_end - lab.month > 3:
        raise Refused(
            f"the contract of {identifier} runs until month {member.contract_end}: renew it in its last 3"
        )
    member.contract_end += EXTENSION
    return member


def room(lab: Lab) -> int:
    """Return the number of places for researchers in the mode `closed`.

    Open offers, applicants who have accepted, and postdoc searches take places. In the other modes offers and
    searches do not see each other, so that a lab can grow beyond its capacity.
    """
    expected = sum(applicant.status in ("offered", "accepted") for applicant in lab.applicants.values())
    searches = sum(not search.resolved for search in lab.searches.values())
    return lab.parameters.capacity - len(lab.researchers()) - expected - searches


def _take_on(lab: Lab, member: Member) -> Member:
    """Add a member of staff, in the mode `closed` with the pay of the month."""
    lab.join(member)
    if lab.rules.closed:
        lab.pay("stipend", -member.pay, member.id)
    return member


def hire_assistant(lab: Lab) -> Member:
    """Hire a research assistant, who starts at once."""
    if lab.rules.closed:
        # Otherwise hours that are spent already could exceed the hours that there are.
        hours = min(lab.parameters.assistant_oversight, lab.pool() - lab.parameters.attention_floor)
        if lab.attention_left() < hours - 1e-9:
            raise Refused(f"an assistant takes {hours:g} hours of oversight, which are not left this month")
    generator = lab.random.at(f"ra|{lab.next_id('RAkey', lab.month)}")
    named = draw_name(generator)
    ability = 0.35 + (0.55 - 0.35) * generator.random()
    speed = 0.9 + 0.1 * generator.standard_normal()
    member = Member(
        id=lab.next_id("RA", lab.month),
        name=named,
        role="ra",
        arrived=lab.month,
        pay=lab.parameters.assistant_salary,
        ability=ability,
        speed=speed,
        resilience=0.8,
        independence=0.9,
        growth=0.0,
        skill=0.5,
        morale=0.7,
        researcher=False,
    )
    return _take_on(lab, member)


def hire_manager(lab: Lab) -> Member:
    """Hire a lab manager, who takes over a part of the oversight; a lab can have two."""
    most = lab.parameters.most_managers
    if sum(m.role == "manager" for m in lab.present) >= most:
        raise Refused(f"the lab can have {most} managers")
    generator = lab.random.at(f"mgr|{lab.next_id('MGRkey', lab.month)}")
    member = Member(
        id=lab.next_id("MGR", lab.month),
        name=draw_name(generator),
        role="manager",
        arrived=lab.month,
        pay=lab.parameters.manager_salary,
        independence=1.0,
        growth=0.0,
        skill=0.0,
        researcher=False,
    )
    return _take_on(lab, member)


def dismiss(lab: Lab, identifier: str) -> Member:
    """Dismiss a research assistant or a manager.

    In the mode `closed` they stay, work and are paid until the month ends. Where they leave at once, their
    pay is saved though the hours that they freed are used.
    """
    member = lab.members.get(identifier)
    if member is None or not member.active:
        raise Refused(f"{identifier!r} is not an active member of the lab")
    if member.researcher:
        raise Refused("only research assistants and managers can be dismissed")
    if not lab.rules.closed:
        lab.leave(member, "dismissed")
    elif member.arrived == lab.month:
        raise Refused(f"{identifier} was hired this month, and can be dismissed from the next one on")
    elif member.leaving:
        raise Refused(f"{identifier} leaves at the end of this month already")
    else:
        member.leaving = True
    return member


def part(lab: Lab) -> None:
    """Let the staff go who were dismissed this month."""
    for member in [member for member in lab.present if member.leaving]:
        lab.leave(member, "dismissed")


def live(lab: Lab) -> None:
    """Update the researchers at the end of a month: skill, morale, reports and departures."""
    month, p = lab.month, lab.parameters
    growth, most, middle, width = p.skill_growth, p.skill_most, p.quit_middle, p.quit_width
    memberships = lab.memberships()
    here = lab.researchers()
    mood = mean([member.morale for member in here]) if here else 0.7
    stress = 0 < lab.budget < 6 * max(1, lab.burn())
    for member in here:
        luck, _ = lab.random.monthly("person", member.id, month)
        alone, load = member.independence, memberships.get(member.id, 0)
        if load > 0:
            hours = member.mentoring
            guided = 1 + 1.2 * (8.0 if hours > 8.0 else hours) / 8
            skill = member.skill + growth * member.growth * guided
            member.skill = skill if skill < most else most
        impulse = lab.morale_impulse.pop(member.id, 0.0)
        if load > 2:
            impulse += -0.10
        if member.mentoring < 2.0:
            impulse += -0.08 * (1 - alone)
        if stress:
            impulse += -0.10
        impulse += 0.05 * (mood - member.morale)
        morale = member.morale + 0.06 * (0.70 - member.morale) + impulse
        member.morale = morale = 0.0 if morale < 0.0 else 1.0 if morale > 1.0 else morale
        quality = member.skill * member.ability * (0.6 + 0.4 * morale)
        lab.unread.append((member, month, quality, morale if member.mentoring >= 1 else None))
        weariness = 1 / (1 + math.exp(-(-(morale - middle) / width)))
        if luck < min(p.quit_most, p.quit_scale * weariness):
            lab.leave(member, "quit")
            lab.tell("lab", None, f"{member.name} ({member.id}) has left the lab")
        elif member.role == "postdoc":
            assert member.contract_end is not None
            if month >= member.contract_end:
                lab.leave(member, "contract_ended")
        elif month % 12 == 5 and _graduates(p, member, month):
            lab.leave(member, "graduated")
            lab.reputation_impulse += p.reputation_graduation
            lab.alumni += 1
            lab.tell("lab", None, f"{member.name} ({member.id}) has graduated")


def _graduates(p: Parameters, member: Member, month: int) -> bool:
    return month - member.arrived >= p.graduation_months and member.papers >= p.graduation_papers


def reports(lab: Lab, member: Member) -> list[tuple[int, float, float | None]]:
    """Return the monthly reports of a member: month, quality, and sentiment (`None` without a meeting).

    Reports have no effect on the lab, so their noise is not drawn until reports are read.
    """
    if lab.unread:
        noise = lab.random.normals([f"report|{who.id}|{month}" for who, month, _, _ in lab.unread])
        tone = lab.random.normals([f"sent|{who.id}|{month}" for who, month, _, _ in lab.unread])
        for (who, month, quality, mood), z, t in zip(lab.unread, noise, tone, strict=True):
            sentiment = None if mood is None else round(min(max(mood + 0.18 * t, 0.0), 1.0), 2)
            who.reports.append((month, round(max(0.0, quality + 0.15 * z), 2), sentiment))
        lab.unread.clear()
    return member.reports


def search(lab: Lab) -> None:
    """Decide the postdoc searches that are due this month."""
    month, p = lab.month, lab.parameters
    for opening in lab.searches.values():
        if opening.resolved or month < opening.posted + 2:
            continue
        opening.resolved = True
        if len(lab.researchers()) >= p.capacity:
            lab.tell("lab", None, "A postdoc search was closed: the lab is full")
            continue
        generator = lab.random.at(f"postdoc|{opening.id}")
        chance = min(0.85, 0.45 + 0.06 * (lab.reputation - REPUTATION_START))
        if not generator.random() < chance:
            lab.tell("lab", None, "A postdoc search found nobody")
            continue
        ability = min(max(0.62 + p.postdoc_lift + 0.12 * generator.standard_normal(), 0.2), 0.97)
        named = draw_name(generator)
        speed = 1.05 + 0.12 * generator.standard_normal()
        resilience = 0.5 + (1 - 0.5) * generator.random()
        independence = 0.6 + (1 - 0.6) * generator.random()
        growth = max(0.3, 0.8 + 0.2 * generator.standard_normal())
        member = Member(
            id=lab.next_id("PD", opening.id),
            name=named,
            role="postdoc",
            arrived=month,
            pay=p.postdoc_salary,
            ability=ability,
            speed=speed,
            resilience=resilience,
            independence=independence,
            growth=growth,
            skill=0.55 + 0.35 * ability,
            contract_end=month + p.postdoc_contract,
        )
        lab.join(member)
        lab.tell("lab", None, f"{named} ({member.id}) joins as a postdoc")
