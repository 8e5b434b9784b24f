"""What an agent is told: the rules that are open, and how to act; the numbers of the world stay hidden."""

from __future__ import annotations

from assay.suites.pilab.database import COLUMNS
from assay.suites.pilab.methods import METHODS

MOST_PRINTED = 6000
"""Characters of printed output that a block's turn shows."""

MOST_MEMORY = 6000
"""Characters of the memory."""

STEPS_OF_A_TURN = 16
"""Single calls that take the place of a turn with code."""

NO_MEMORY = "(The memory is empty. What you write with write_memory is shown here every month.)"

DISABLED = "(The memory is switched off in this run.)"

SYSTEM = """\
You are a new principal investigator and run a research lab for {months} months, with $600,000 to start \
with and nobody hired. What counts in the end is IMPACT: the citations of your papers up to the last \
month, and those that they can be expected to get in the three years after it. If the money is below zero \
when a month ends, the lab is closed: the run is over, and only the citations up to then count.

HOW YOU ACT
Each month you have {turns}. In each, reply with one block of Python between ```python and \
```; it is run, and you are shown what it printed (the first {printed} characters). Variables stay from \
block to block. `next_month()` ends the month; after your last turn it ends by itself. When a month \
begins you see nothing of what was said before: only this text, your memory and a dashboard. So keep \
notes with `write_memory(text)`: it replaces the whole memory, {memory} characters at most.

These can be called from a block; a call that is refused raises `ApiError` with the reason:
{methods}
next_month(), query(sql), write_memory(text), read_memory()
Example: projects.start("theory", 1, ["S001", "S002"], monthly_compute=500)

`query(sql)` reads these tables (SQLite, SELECT only, 200 rows at most):
{tables}

THE YEAR
Months are counted from 1. In months 1 to 3 of each year PhD applicants can be interviewed and offered a \
place; answers come at the end of month 3, and who accepts can work from month 5 on. NAIC, the most \
visible venue, takes papers in months 3 and 9 of the year and CLAR, a good one, in months 6 and 12; \
accepted papers come out after the next deadline. W-SHOP, modest and quick, and JMR, a journal, demanding \
and slow, take papers at any time. In month 7 service duty takes hours. Calls for grants open in certain \
months; see grants.calls().

MONEY
A PhD student costs $3200 a month, a postdoc $6500, a research assistant $1800, a lab manager $4500; \
compute is paid by project and month, and its price may change for a while. Grants are the only income. A \
proposal wins by hours, by evidence (papers, or drafts, on its topic), by your standing, by what the \
agency likes now, and by the climate; many awards at once count against it. FEL is given once.

ATTENTION
You have 100 hours a month. People take oversight; a manager lowers that of researchers. Mentoring is a \
standing promise and recurs each month; interviews, polishing, revising, proposals, talks, reviews, \
crises and trips are paid once.

PEOPLE
Students grow with work and mentoring; unhappy ones leave: too little mentoring, too many projects, \
rejections, scoops, and a lab that runs out of money make them so. Ability and mood are hidden. \
Transcripts, letters, interviews and monthly reports show them with noise, and the pools of applicants \
differ in how far their papers can be trusted. PhD students stay for years; postdocs come by a search, \
are strong at once and have contracts; assistants and managers can be hired and dismissed at any time and \
are no authors. Graduates carry your name further. The lab has room for 12 researchers.

PROJECTS
Tier 1 is safe and small, tier 3 long, risky and rewarding. Some projects turn out to be dead ends; \
crowded topics are scooped more often. What a paper is worth depends on its people, its novelty, its \
compute, and how hot its topic is over the years. Hotness and crowding are hidden; news, preprints, \
conference reports and talk at conferences show them with noise. A finished project becomes a draft. \
Polish it before it is submitted; revise it after a rejection, once a month.

PRACTICE
Trips to conferences are possible about every five months. Do not give your own variables the names \
above. Columns of a table: select sql from sqlite_master where name = 'projects'.
"""


def system(months: int, turns: int) -> str:
    """The system prompt of a run of so many months with so many turns each."""
    return SYSTEM.format(
        months=months,
        turns=f"up to {turns} turns" if turns > 1 else "one turn",
        printed=MOST_PRINTED,
        memory=MOST_MEMORY,
        methods="\n".join(f"{method.signature()}  # {method.doc}" for method in METHODS.values()),
        tables=", ".join(COLUMNS),
    )


def month(number: int, months: int, label: str, memory: str) -> str:
    """The text that begins a month; the dashboard follows."""
    return f"Month {number} of {months} ({label}).\n\nYour memory:\n{memory}\n\nThe dashboard:"
