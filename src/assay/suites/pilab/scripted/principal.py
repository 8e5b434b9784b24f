"""A scripted model that runs a lab of pilab with blocks of code, from the text it is shown alone.

It does what a plain model does each month: look at the dashboard and the news, hire, put idle people on the
topic of the day, polish and submit drafts, write proposals, answer events, count with SQL, keep notes. Where
a month has several turns it ends the month in a turn of its own, and now and then forgets the code.
"""

from __future__ import annotations

from assay.agents.transport import Request
from assay.numbers.rng import Stream

PLAN = """\
import json

try:
    notes = json.loads(read_memory())
except ValueError:
    notes = {"months": 0, "refused": 0}


def attempt(call, *arguments):
    try:
        return call(*arguments)
    except ApiError as refusal:
        notes["refused"] += 1
        print(refusal)


board = lab.dashboard()
counts = {}
for item in field.news(40):
    if item["kind"] == "field":
        counts[item["topic"]] = counts.get(item["topic"], 0) + 1
topic = max(sorted(counts), key=counts.get)
here = [student["id"] for student in board["students"]]
if board["month"] == 1:
    attempt(recruit.post_postdoc)
    attempt(recruit.post_postdoc)
if board["month"] % 12 == 1 and len(here) < 4:
    ranked = sorted(recruit.applicants(), key=lambda a: -a["transcript"] - a["letter"])
    for applicant in ranked[:2]:
        attempt(recruit.offer, applicant["id"])
if here:
    attempt(students.set_mentoring, {person: 5 for person in here})
busy = {person for project in board["active_projects"] for person in project["members"]}
for person in here:
    if person not in busy:
        attempt(projects.start, topic, 1, [person], 1000)
for draft in board["available_drafts"]:
    attempt(papers.polish, draft["id"], 8)
    for venue in ("CLAR", "W-SHOP"):
        if attempt(papers.submit, draft["id"], venue):
            break
evidence = [paper["id"] for paper in papers.publications()][:4]
for grant in board["open_grant_calls"]:
    attempt(grants.propose, grant["id"], topic, 20, evidence)
for event in board["pending_events"]:
    attempt(events.respond, event["id"], "support" if event["kind"] == "student_crisis" else "decline")
notes["months"] += 1
notes["projects"] = query("select count(*) as n from projects")[0]["n"]
write_memory(json.dumps(notes))
print(f"month {board['month']}: {topic}, notes {notes}")
"""


def play(request: Request, stream: Stream) -> str:
    """The next reply: a plan for the month, and then its end."""
    said = [str(message.parts[0]) for message in request.messages if message.role == "assistant"]
    if any(PLAN in text for text in said):
        return "That is all for this month.\n\n```python\nnext_month()\n```"
    if not said and "you have one turn" not in request.system and stream.below(10) == 0:
        return "Let me think about what this month should bring."
    return f"Here is what I do this month.\n\n```python\n{PLAN}```"
