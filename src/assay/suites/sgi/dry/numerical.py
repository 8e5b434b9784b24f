"""Numerical calculation: closed formulas and quadratures whose units and rules are conventions."""

from __future__ import annotations

from assay.suites.sgi.dry.specification import Function, Specification, masked_function

KIND = "Numerical Calculation"

SOLVE = Function(
    "solve_linear",
    "matrix, right",
    "Solve a square linear system by Gaussian elimination with partial pivoting.\n"
    "matrix is a list of rows, right a list; returns the list of unknowns.",
    """
n = len(right)
rows = [list(row) + [value] for row, value in zip(matrix, right)]
for k in range(n):
    pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
    rows[k], rows[pivot] = rows[pivot], rows[k]
    for i in range(k + 1, n):
        factor = rows[i][k] / rows[k][k]
        for j in range(k, n + 1):
            rows[i][j] -= factor * rows[k][j]
found = [0.0] * n
for k in range(n - 1, -1, -1):
    rest = sum(rows[k][j] * found[j] for j in range(k + 1, n))
    found[k] = (rows[k][n] - rest) / rows[k][k]
return found
""".strip("\n"),
)

SPECIFICATIONS: tuple[Specification, ...] = (
    masked_function(
        KIND,
        "astronomy",
        "comoving_distance(z, omega_m, h0, steps)",
        """Comoving distance to redshift z in a flat universe of matter and a cosmological constant, by
quadrature of 1 / E(z) on `steps` equal intervals; E(z)^2 = omega_m (1 + z)^3 + 1 - omega_m, h0 in km/s/Mpc,
speed of light 299792.458 km/s. A redshift of 0 or less gives 0.0.""",
        """
if z <= 0:
    return 0.0
width = z / steps
def integrand(x):
    return 1.0 / math.sqrt(omega_m * (1.0 + x) ** 3 + 1.0 - omega_m)
total = 0.0
for k in range(steps):
    left = k * width
    $rule
return $unit * 299792.458 / h0 * total
""",
        rule=(
            (
                "total += width * (integrand(left) + integrand(left + width)) / 2",
                "The quadrature is the trapezoidal rule.",
            ),
            ("total += width * integrand(left + width / 2)", "The quadrature is the midpoint rule."),
            ("total += width * integrand(left)", "The quadrature takes the left end of each interval."),
        ),
        unit=(
            ("1.0", "The result is in Mpc."),
            ("3.2616e-3", "The result is in billions of light years; 1 Mpc is 3.2616e-3 of them."),
            ("h0 / 100.0", "The result is in Mpc/h, with h = h0 / 100."),
        ),
        data='{"z": real(0.3, 3), "omega_m": real(0.2, 0.4), "h0": real(60, 75), "steps": n}',
        edge='{"z": -real(0.1, 0.5), "omega_m": 0.3, "h0": 70.0, "steps": 4}',
        sizes=(8, 60),
    ),
    masked_function(
        KIND,
        "physics astronomy",
        "chirp_masses(first, second, redshift)",
        """Chirp masses (m1 m2)^(3/5) / (m1 + m2)^(1/5) of binaries, as a list; `first` and `second` are
lists of
masses as the detector sees them, `redshift` a list. Pairs with a mass that is not positive give nan.""",
        """
found = []
for a, b, z in zip(first, second, redshift):
    if a <= 0 or b <= 0:
        found.append(float("nan"))
        continue
    mass = (a * b) ** 0.6 / (a + b) ** 0.2
    found.append(mass / $frame * $unit)
return $order
""",
        frame=(
            ("1.0", "Masses stay in the frame of the detector."),
            ("(1.0 + z)", "The result is in the frame of the source: detector masses are larger by 1 + z."),
        ),
        unit=(
            ("1.0", "The result is in the unit of the inputs."),
            ("4.925491", "Inputs are in solar masses, the result in microseconds, 4.925491 of them each."),
        ),
        order=(
            ("found", "The list is in the order of the inputs."),
            ("found[::-1]", "The list is in the opposite order of the inputs."),
        ),
        data='{"first": reals(n, 5, 60), "second": reals(n, 1, 40), "redshift": reals(n, 0.01, 1)}',
        edge='{"first": [0.0, 12.0, 30.0], "second": [10.0, 0.5, 20.0], "redshift": [0.1, 0.2, 0.3]}',
    ),
    masked_function(
        KIND,
        "chemistry",
        "arrhenius_rates(temperatures, prefactor, energy)",
        """Rate constants prefactor * exp(-energy / (R T)), a list; temperatures at or below absolute zero
give 0.0.
""",
        """
found = []
for value in temperatures:
    kelvin = value + $offset
    if kelvin <= 0:
        found.append(0.0)
    else:
        found.append(prefactor * (kelvin / 298.15) ** $power * math.exp(-energy / ($constant * kelvin)))
return found
""",
        offset=(("0.0", "Temperatures are in kelvin."), ("273.15", "Temperatures are in degrees Celsius.")),
        constant=(
            ("8.314462618", "The energy is in J/mol; R = 8.314462618 J/(mol K)."),
            ("8.314462618e-3", "The energy is in kJ/mol; R = 8.314462618e-3 kJ/(mol K)."),
            ("1.987204", "The energy is in cal/mol; R = 1.987204 cal/(mol K)."),
        ),
        power=(
            ("0", "The prefactor does not depend on temperature."),
            ("0.5", "The prefactor grows with the square root of T / 298.15 K."),
        ),
        data='{"temperatures": reals(n, 280, 420), "prefactor": real(1, 9), "energy": real(3, 9)}',
        edge='{"temperatures": [-300.0, 0.0, 300.0], "prefactor": 2.5, "energy": 4.0}',
    ),
    masked_function(
        KIND,
        "earth",
        "vapour_pressure_deficit(temperature, humidity)",
        """Mean vapour pressure deficit in kPa: saturation pressure 0.6108 exp(17.27 T / (T + 237.3)) with
T in degrees
Celsius, times one minus relative humidity. Both arguments are lists; without values the result is nan.""",
        """
if not temperature:
    return float("nan")
total = 0.0
for t, h in zip(temperature, humidity):
    share = min(max(h / $scale, 0.0), $ceiling)
    total += 0.6108 * math.exp(17.27 * $celsius / ($celsius + 237.3)) * (1.0 - share)
return total / len(temperature)
""",
        scale=(("100.0", "Humidity is in percent."), ("1.0", "Humidity is a fraction.")),
        ceiling=(
            ("1.0", "Humidity is clipped to the range from 0 to full saturation."),
            ("0.95", "Humidity is clipped to the range from 0 to 95 % of saturation."),
            ("1.02", "Humidity is clipped to the range from 0 to 102 % of saturation."),
        ),
        celsius=(
            ("t", "Temperatures are in degrees Celsius."),
            ("((t - 32.0) / 1.8)", "Temperatures are in degrees Fahrenheit."),
        ),
        data='{"temperature": reals(n, 12, 33), "humidity": reals(n, 0.2, 0.9)}',
        edge='{"temperature": [], "humidity": []}',
        hard='{"temperature": reals(n, 12, 33), "humidity": reals(n, 0.9, 104)}',
    ),
    masked_function(
        KIND,
        "energy",
        "line_flows(lines, injections)",
        """Flows of the linear (DC) power flow of a network, in the order of the lines. lines are [from,
to, reactance],
buses count from 0; injections are the net injections of all buses. Angles solve B theta = injections without
the reference bus, whose angle is 0. Without lines the result is an empty list.""",
        """
if not lines:
    return []
buses = len(injections)
reference = $slack
keep = [bus for bus in range(buses) if bus != reference]
matrix = [[0.0] * buses for _ in range(buses)]
for a, b, x in lines:
    matrix[a][a] += 1.0 / x
    matrix[b][b] += 1.0 / x
    matrix[a][b] -= 1.0 / x
    matrix[b][a] -= 1.0 / x
angles = [0.0] * buses
reduced = [[matrix[i][j] for j in keep] for i in keep]
for bus, angle in zip(keep, solve_linear(reduced, [injections[i] / $base for i in keep])):
    angles[bus] = angle
return [$sign * (angles[a] - angles[b]) / x for a, b, x in lines]
""",
        helper=SOLVE,
        slack=(
            ("0", "The reference is the first bus."),
            ("buses - 1", "The reference is the last bus."),
        ),
        base=(
            ("1.0", "Injections are per unit."),
            ("100.0", "Injections are in MW on a base of 100 MVA; flows are per unit."),
        ),
        sign=(
            ("1.0", "A flow is positive from the first bus of its line to the second."),
            ("-1.0", "A flow is positive from the second bus of its line to the first."),
        ),
        data='{"lines": [[i, i + 1, real(0.1, 0.5)] for i in range(n - 1)] + [[0, n - 1, real(0.1, 0.5)]],'
        ' "injections": reals(n, -50, 60)}',
        edge='{"lines": [[0, 1, 0.2], [1, 2, 0.5]], "injections": [5.0, -2.0, -3.0]}',
        sizes=(4, 9),
    ),
    masked_function(
        KIND,
        "information",
        "channel_capacity(bandwidth, noise_ratio)",
        """Sum of the Shannon capacities of parallel channels, bandwidth * log(1 + signal-to-noise); both
arguments are
lists. Channels whose bandwidth is not positive add nothing.""",
        """
total = 0.0
for width, ratio in zip(bandwidth, noise_ratio):
    if width <= 0:
        continue
    linear = $ratio
    total += width * math.log(1.0 + $gap * linear) / $base
return total
""",
        ratio=(
            ("ratio", "Signal-to-noise is a ratio of powers."),
            ("10.0 ** (ratio / 10.0)", "Signal-to-noise is in decibels of power."),
            ("ratio ** 2", "Signal-to-noise is a ratio of amplitudes."),
        ),
        base=(
            ("math.log(2.0)", "The logarithm is to base 2."),
            ("1.0", "The logarithm is natural."),
            ("math.log(10.0)", "The logarithm is to base 10."),
        ),
        gap=(
            ("1.0", "There is no gap to capacity."),
            ("0.25", "The signal-to-noise ratio is divided by a gap of 4."),
        ),
        data='{"bandwidth": reals(n, 1, 20), "noise_ratio": reals(n, 0.5, 12)}',
        edge='{"bandwidth": [-5.0, 0.0, 2.0], "noise_ratio": [3.0, 4.0, 5.0]}',
    ),
    masked_function(
        KIND,
        "life mathematics",
        "relaxed_roots(targets, steps)",
        """For each target, an iterate of Newton's method for f(x) = x^3 + x - target (in population
genetics a cubic of
this form gives an equilibrium frequency), after exactly `steps` steps. A list.""",
        """
found = []
for target in targets:
    x = $start
    for _ in range(steps):
        x -= $damping * (x ** 3 + x - target) / $slope
    found.append($bound)
return found
""",
        start=(
            ("0.0", "The iteration starts at 0."),
            ("target", "The iteration starts at the target."),
            ("1.0", "The iteration starts at 1."),
        ),
        damping=(("1.0", "Full steps."), ("0.5", "Half steps: every correction is halved.")),
        slope=(
            ("(3.0 * x * x + 1.0)", "The slope is that of f at the iterate."),
            ("4.0", "The slope is fixed at 4 (a chord method)."),
        ),
        bound=(
            ("x", "Results are not bounded."),
            ("max(x, 0.0)", "Results below 0 become 0."),
        ),
        data='{"targets": reals(n, -2, 3), "steps": 3}',
        edge='{"targets": [0.5, 1.5, -1.0], "steps": 1}',
        hard='{"targets": reals(n, -3, -0.5), "steps": 2}',
    ),
    masked_function(
        KIND,
        "material neuroscience",
        "lattice_spacings(angles, wavelength, order)",
        """Spacings d = order * wavelength / (2 sin theta) of reflections (from crystals, or from the
layers of myelin in
X-ray scattering of nerve), a list. An angle of 0 gives inf.""",
        """
found = []
for angle in angles:
    theta = $measured
    if theta == 0:
        found.append(float("inf"))
    else:
        found.append($absolute * order / (2.0 * math.sin(theta)) * $unit)
return found
""",
        measured=(
            ("math.radians(angle)", "Angles are theta in degrees."),
            ("math.radians(angle) / 2", "Angles are two theta in degrees."),
            ("angle", "Angles are theta in radians."),
        ),
        absolute=(
            ("wavelength", "The wavelength is given."),
            ("(12.398 / wavelength)", "In place of the wavelength its energy E in keV is given: 12.398 / E."),
        ),
        unit=(("1.0", "The result is in angstrom, as the wavelength."), ("0.1", "The result is in nm.")),
        data='{"angles": reals(n, 0.2, 1.4), "wavelength": real(0.7, 2), "order": integer(1, 3)}',
        edge='{"angles": [0.0, 0.9], "wavelength": 1.54, "order": 1}',
        hard='{"angles": reals(n, -1.2, -0.2), "wavelength": real(0.7, 2), "order": 2}',
    ),
)
