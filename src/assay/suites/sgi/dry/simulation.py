"""Simulation: short runs of known dynamics whose schemes and boundaries are conventions."""

from __future__ import annotations

from assay.suites.sgi.dry.specification import Specification, masked_function

KIND = "Simulation"

SPECIFICATIONS: tuple[Specification, ...] = (
    masked_function(
        KIND,
        "physics material",
        "diffused(profile, ratio, steps)",
        """A profile on a line after explicit diffusion, u_i += ratio (u_left - 2 u_i + u_right), for
`steps` steps.
Fewer than three values are returned as they are.""",
        """
u = list(profile)
n = len(u)
if n < 3:
    return u
for _ in range(steps):
    old = list(u)
    for i in range(n):
        left = old[i - 1] if i > 0 else $left
        right = old[i + 1] if i < n - 1 else $right
        u[i] = old[i] + ratio * (left - 2.0 * old[i] + right) - $decay * old[i]
return u
""",
        left=(
            ("0.0", "Left of the first value lies 0."),
            ("old[0]", "Left of the first value lies a copy of it (no flux)."),
            ("old[-1]", "Left of the first value lies the last one (a ring on that side)."),
        ),
        right=(
            ("0.0", "Right of the last value lies 0."),
            ("old[-1]", "Right of the last value lies its copy."),
        ),
        decay=(("0.0", "Nothing decays."), ("0.02", "Each step also takes 0.02 of the old value away.")),
        data='{"profile": reals(n, 0, 9), "ratio": real(0.1, 0.3), "steps": integer(3, 8)}',
        edge='{"profile": [3.0, 1.0], "ratio": 0.2, "steps": 5}',
        sizes=(8, 30),
    ),
    masked_function(
        KIND,
        "neuroscience",
        "leaky_spikes(current, step, threshold)",
        """Times of the spikes of a leaky integrate-and-fire neuron: forward Euler with dv = step (current
- v) from v = 0,
one step for each value of the list `current`; v reaching the threshold is a spike. No current gives an
empty list.""",
        """
v, quiet, spikes = 0.0, 0, []
for k, drive in enumerate(current):
    if quiet > 0:
        quiet -= 1
        continue
    v += step * (drive - v)
    if v >= threshold:
        spikes.append((k + $stamp) * step)
        v = $reset
        quiet = $refractory
return spikes
""",
        stamp=(
            ("0", "A spike has the time of the start of its step."),
            ("1", "A spike has the time of the end of its step."),
        ),
        reset=(
            ("0.0", "A spike resets v to 0."),
            ("v - threshold", "A spike lowers v by the threshold."),
            ("-0.2", "A spike resets v to -0.2."),
        ),
        refractory=(
            ("0", "There is no refractory time."),
            ("2", "The two steps after a spike are left out."),
        ),
        data='{"current": reals(n, 0.8, 3), "step": 0.1, "threshold": real(0.3, 0.7)}',
        edge='{"current": [1.0, 9.0, 9.0], "step": 0.5, "threshold": 0.5}',
        sizes=(40, 120),
    ),
    masked_function(
        KIND,
        "life earth",
        "harvested_population(start, rate, capacity, harvest, years)",
        """Sizes of a population (or of a regrowing forest stand) in `years` discrete years of logistic
growth with harvest;
the list begins with the start. Without years it is the start alone.""",
        """
n = start
sizes = [n]
for _ in range(years):
    before = n $first
    n = before + $growth - $second
    n = max(n, $floor)
    sizes.append(n)
return sizes
""",
        first=(
            ("", "Growth is computed on all that are there."),
            ("- harvest * 0.5", "Half of the harvest is taken before growth."),
        ),
        growth=(
            ("rate * before * (1.0 - before / capacity)", "Growth is rate n (1 - n / capacity)."),
            (
                "before * (math.exp(rate * (1.0 - before / capacity)) - 1.0)",
                "Growth is n (exp(rate (1 - n / capacity)) - 1).",
            ),
        ),
        second=(
            ("harvest", "The harvest after growth is a fixed number."),
            ("harvest * before / capacity", "The harvest after growth is harvest n / capacity."),
        ),
        floor=(("0.0", "Sizes below 0 become 0."), ("1.0", "Sizes below 1 become 1.")),
        data='{"start": real(40, 90), "rate": real(0.2, 0.9), "capacity": 100.0, "harvest": real(2,'
        ' 9), "years": n}',
        edge='{"start": 3.0, "rate": 0.1, "capacity": 100.0, "harvest": 8.0, "years": 3}',
        sizes=(6, 30),
    ),
    masked_function(
        KIND,
        "astronomy",
        "orbit_energy_drift(position, velocity, step, steps)",
        """A body orbits a unit mass at the origin in the plane (GM = 1). Change of its specific energy
v^2 / 2 - 1 / r after `steps` steps, measured as said below. With no steps the result is 0.0.""",
        """
x, y = position
vx, vy = velocity
def energy():
    return (vx * vx + vy * vy) / 2.0 - 1.0 / math.hypot(x, y)
def pull():
    cube = (x * x + y * y + $softening) ** 1.5
    return -x / cube, -y / cube
start = worst = energy()
for _ in range(steps):
    ax, ay = pull()
    vx, vy = vx + $half * step * ax, vy + $half * step * ay
    x, y = x + step * vx, y + step * vy
    ax, ay = pull()
    vx, vy = vx + (1.0 - $half) * step * ax, vy + (1.0 - $half) * step * ay
    if abs(energy() - start) > abs(worst - start):
        worst = energy()
return ($which - start) / $scale
""",
        half=(
            ("0.5", "Velocity Verlet: half a kick, a drift, half a kick."),
            ("1.0", "Symplectic Euler: a whole kick, then a drift."),
        ),
        softening=(
            ("0.0", "The pull is not softened."),
            ("0.01", "In the pull r^2 is replaced by r^2 + 0.01."),
        ),
        which=(
            ("energy()", "It is the change at the end."),
            ("worst", "It is the change that is largest in size after any step."),
        ),
        scale=(
            ("abs(start)", "It is relative to the size of the initial energy."),
            ("1.0", "It is absolute."),
        ),
        data='{"position": [real(0.8, 1.2), 0.0], "velocity": [0.0, real(0.8, 1.1)], "step": 0.1,'
        ' "steps": n}',
        edge='{"position": [1.0, 0.2], "velocity": [0.1, 1.0], "step": 0.3, "steps": 1}',
        sizes=(12, 60),
    ),
    masked_function(
        KIND,
        "energy",
        "battery_charge(load, capacity, power, efficiency)",
        """Charge of a battery at the end of each hour, a list. load is net load in each hour: positive is
served from the
battery, negative charges it, both limited by power, charge and capacity. It starts as said below.""",
        """
charge = $start * capacity
levels = []
for net in load:
    if net > 0:
        drawn = min(net, power, charge $losses)
        charge -= drawn $taken
    else:
        stored = min(-net, power) * $storing
        charge = min(capacity, charge + stored)
    charge *= $leak
    levels.append(charge)
return levels
""",
        start=(("0.5", "It starts half full."), ("0.0", "It starts empty."), ("1.0", "It starts full.")),
        losses=(
            ("* efficiency", "What it can serve is its charge times the efficiency."),
            ("", "What it can serve is its whole charge."),
        ),
        taken=(
            ("/ efficiency", "Serving x takes x / efficiency from the charge."),
            ("* 1.0", "Serving x takes x from the charge."),
        ),
        storing=(
            ("1.0", "Charging stores all that comes in."),
            ("efficiency", "Charging stores the efficiency times what comes in."),
        ),
        leak=(("1.0", "Nothing leaks."), ("0.99", "After each hour 1 % of the charge is lost.")),
        data='{"load": reals(n, -6, 6), "capacity": real(6, 12), "power": real(2, 5), "efficiency":'
        " real(0.7, 0.95)}",
        edge='{"load": [9.0, 9.0, 9.0, 9.0], "capacity": 5.0, "power": 3.0, "efficiency": 0.8}',
        sizes=(12, 48),
    ),
    masked_function(
        KIND,
        "chemistry",
        "reaction_course(start, rates, step, steps)",
        """Concentrations of A, B, C after `steps` steps of A -> B -> C with rates [k1, k2]; start is a
list of three. Negative
concentrations become 0 after each step.""",
        """
a, b, c = start
def change(a, b):
    first = rates[0] * a $order
    second = rates[1] * b
    return -first, first - second + $back * c, second - $back * c
for _ in range(steps):
    da, db, dc = change(a, b)
    if $midpoint:
        da, db, dc = change(a + step * da / 2, b + step * db / 2)
    a, b, c = max(a + step * da, 0.0), max(b + step * db, 0.0), max(c + step * dc, 0.0)
return [a, b, c]
""",
        order=(
            ("", "The first reaction is of first order in A."),
            ("* a", "The first reaction is of second order in A."),
        ),
        back=(("0.0", "C does not react back."), ("0.1", "C reacts back to B with the rate 0.1.")),
        midpoint=(
            ("False", "Steps are explicit Euler."),
            ("True", "Steps are by the midpoint rule; c within a step is that of its start."),
        ),
        data='{"start": [real(1, 3), real(0, 1), 0.1], "rates": reals(2, 0.2, 0.9), "step": 0.2, "steps": n}',
        edge='{"start": [1.0, 0.0, 0.0], "rates": [9.0, 6.0], "step": 0.5, "steps": 2}',
        sizes=(8, 50),
    ),
    masked_function(
        KIND,
        "mathematics",
        "cellular_rows(row, rule, steps)",
        """The row of an elementary cellular automaton after `steps` steps, a list of 0 and 1; bit k of
`rule` is the new
cell of the neighbourhood with the value k. An empty row stays empty.""",
        """
cells = list(row)
n = len(cells)
for _ in range(steps):
    old = cells
    cells = []
    for i in range(n):
        left = $left
        right = $right
        value = $weight
        cells.append(rule >> value & 1)
return $output
""",
        left=(
            ("old[i - 1]", "The left neighbour of the first cell is the last."),
            ("old[i - 1] if i > 0 else 0", "The left neighbour of the first cell is 0."),
        ),
        right=(
            ("old[(i + 1) % n]", "The right neighbour of the last cell is the first."),
            ("old[i + 1] if i < n - 1 else 1", "The right neighbour of the last cell is 1."),
        ),
        weight=(
            ("4 * left + 2 * old[i] + right", "A neighbourhood has the value 4 left + 2 own + right."),
            ("left + 2 * old[i] + 4 * right", "A neighbourhood has the value left + 2 own + 4 right."),
        ),
        output=(
            ("cells", "The cells are given."),
            ("[1 - c for c in cells]", "The cells are given inverted, 0 for 1."),
        ),
        data='{"row": [integer(0, 1) for _ in range(n)], "rule": integer(20, 230), "steps": integer(3, 6)}',
        edge='{"row": [1, 0, 1], "rule": 110, "steps": 1}',
        sizes=(12, 40),
    ),
    masked_function(
        KIND,
        "information",
        "queue_waits(arrivals, services, limit)",
        """Waiting times of the customers of a single server, first come first served; arrivals ascend. A
customer who
would have to wait longer than `limit` leaves as said below. No arrivals give an empty list.""",
        """
free, waits = 0.0, []
for arrived, service in zip(arrivals, services):
    wait = max(free - arrived, 0.0)
    if wait $beyond limit:
        $leaving
        continue
    waits.append(wait $own)
    free = max(free, arrived) + service + $pause
return waits
""",
        beyond=(
            (">", "Waiting exactly the limit is still accepted."),
            (">=", "Waiting exactly the limit is already too long."),
        ),
        leaving=(
            ("pass", "Who leaves is not in the result."),
            ("waits.append(-1.0)", "Who leaves has the waiting time -1."),
        ),
        own=(("", "Waiting ends when service begins."), ("+ service", "Waiting ends when service ends.")),
        pause=(
            ("0.0", "The server needs no pause."),
            ("0.5", "After each customer the server pauses for 0.5."),
        ),
        data='{"arrivals": sorted(reals(n, 0, n)), "services": reals(n, 0.3, 1.8), "limit": real(1, 3)}',
        edge='{"arrivals": [0.0, 1.0, 2.0], "services": [3.0, 1.0, 2.5], "limit": 2.0}',
        sizes=(14, 60),
    ),
)
