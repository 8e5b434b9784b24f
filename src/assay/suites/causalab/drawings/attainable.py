"""Regret in the sealed sets and where it comes from, and how well agents chose what to set."""

from __future__ import annotations

from typing import Any

from assay import plotting
from assay.protocol import Tables
from assay.suites.causalab.drawings.recovery import SOLVERS
from assay.suites.causalab.tables.attainable import ALL, attainable

SIZES = (3, 4, 5, 6, 7)

PARTS = (
    ("stopping", "interventions not made", "grey"),
    ("choosing", "choice of interventions", "sky"),
    ("inferring", "inference from own data", "vermilion"),
)


def regret(tables: Tables) -> Any:
    """Draw F1, yoked F1 and attainable F1 by size for each agent, and the parts of its regret."""
    table = attainable(tables)
    table = table[table["setting"] == "sealed-main"]
    agents = sorted(set(table["agent"]))
    figure = plotting.figure(180, 46 + 26 * max(1, -(-len(agents) // 4)) + 5 * len(agents))
    rows = max(1, -(-len(agents) // 4))
    upper, lower = figure.subfigures(2, 1, height_ratios=(30 * rows, 26 + 5 * len(agents)))
    panels = upper.subplots(rows, 4, sharex=True, sharey=True, squeeze=False)
    lines: dict[str, Any] = {}
    for axes in list(panels.flat)[len(agents) :]:
        axes.set_axis_off()
    for axes, agent in zip(panels.flat, agents, strict=False):
        of_agent = table[(table["agent"] == agent) & (table["nodes"] != ALL)].sort_values("nodes")
        own = plotting.agent_style([agent], SOLVERS)[agent][0]
        for column, label, look in (
            ("attainable_f1", "optimal agent (attainable)", {"color": "black", "linestyle": "--"}),
            (
                "yoked_f1",
                "best inference from the agent's data (yoked)",
                {"color": "grey", "marker": "s", "markersize": 5, "markerfacecolor": "none"},
            ),
            ("edge_f1", "agent", {"color": own, "marker": "o", "markersize": 2.5}),
        ):
            (lines[label],) = axes.plot(
                of_agent["nodes"], of_agent[column], linewidth=0.9, clip_on=False, **look
            )
        axes.set(ylim=(0, 1.02), xticks=SIZES)
        axes.set_title(agent, fontsize=8)
    for axes in panels[:, 0]:
        axes.set_ylabel("all-edge F1")
    for axes in panels[-1]:
        axes.set_xlabel("variables")
    lines["agent"] = panels[0, 0].plot([], [], color="black", marker="o", markersize=2.5)[0]
    upper.legend(list(lines.values()), list(lines), loc="outside lower center", ncols=3)
    parts, shares = lower.subplots(1, 2, sharey=True, width_ratios=(1.6, 1))
    places = {agent: at for at, agent in enumerate(agents)}
    together = table[table["nodes"] == ALL].set_index("agent")
    for number, (part, label, colour) in enumerate(PARTS):
        for agent in agents:
            ends = (together.loc[agent, f"{part}{end}"] for end in ("", "_low", "_high"))
            at = places[agent] + (number - 1) * 0.22
            plotting.interval(parts, at, *ends, colour=plotting.COLOURS[colour], marker="o")
        parts.plot([], [], color=plotting.COLOURS[colour], marker="o", linestyle="none", label=label)
    shares.barh([places[agent] for agent in agents], together.loc[agents, "information_share"], color="0.6")
    parts.axvline(0, color=plotting.COLOURS["grey"], linewidth=0.6)
    parts.set_yticks(range(len(agents)), agents)
    parts.set(xlabel="part of the regret (F1), all sizes", ylim=(len(agents) - 0.4, -0.6))
    shares.set(xlabel="information, share of the best", xlim=(0, 1))
    lower.legend(loc="outside lower center", ncols=3)
    return figure
