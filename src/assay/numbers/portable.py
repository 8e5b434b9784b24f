"""exp, log, log1p, sine and cosine, and the normal quantile, with the same bits on every processor.

The functions use only `+ - * /`, square root, comparisons and exact conversions, in a fixed order. So
compiled and interpreted runs on x86-64 and aarch64, with and without fused multiply-add, agree to the last
bit. Errors are below 1 unit in the last place (log1p: below 2), measured against 80-bit references in the
range of the tests.

The coefficients and the reductions of exp, log, sine and cosine are those of fdlibm (Sun Microsystems,
1993; its notice is in THIRD_PARTY_NOTICES.md); the normal quantile is algorithm AS 241 (Wichura 1988).
"""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np

from assay.numbers.kernels import INTERPRETED, kernel

INF = math.inf
NAN = math.nan

if INTERPRETED:

    def float_bits(x: float) -> Any:
        """Return the 64 bits of a float as a signed integer."""
        return struct.unpack("<q", struct.pack("<d", x))[0]

    def bits_float(n: Any) -> Any:
        """Return the float with these 64 bits, given as a signed integer."""
        return struct.unpack("<d", struct.pack("<q", int(n)))[0]

else:
    from numba import types
    from numba.extending import intrinsic

    def _bitcast(source: Any, target: Any) -> Any:
        """Return an intrinsic that reads the bits of one 64-bit type as another."""

        @intrinsic  # type: ignore[untyped-decorator]
        def cast(typing_context: Any, value: Any) -> Any:
            def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                return builder.bitcast(arguments[0], context.get_value_type(target))

            return target(source), generate

        return cast

    float_bits = _bitcast(types.float64, types.int64)
    bits_float = _bitcast(types.int64, types.float64)


# exp: x = k ln 2 + r with |r| <= ln 2 / 2, and exp(r) by a rational function of r * r (fdlibm e_exp.c)

LOG2_E = 1.44269504088896338700e00
LN2_HIGH = 6.93147180369123816490e-01
LN2_LOW = 1.90821492927058770002e-10
EXP_LARGEST = 709.782712893383973096
EXP_SMALLEST = -708.0  # smaller arguments give 0, so that no result is near the subnormal numbers
P1 = 1.66666666666666019037e-01
P2 = -2.77777777770155933842e-03
P3 = 6.61375632143793436117e-05
P4 = -1.65339022054652515390e-06
P5 = 4.13813679705723846039e-08


@kernel
def exp(x: float) -> float:
    """Return e to the x; 0 below -708 (no subnormal numbers), inf above 709.78.

    Example:
        >>> exp(1.0)
        2.7182818284590455
    """
    if x != x:
        return x
    if x > EXP_LARGEST:
        return INF
    if x < EXP_SMALLEST:
        return 0.0
    k: float = np.floor(x * LOG2_E + 0.5)
    high = x - k * LN2_HIGH
    low = k * LN2_LOW
    r = high - low
    t = r * r
    c = r - t * (P1 + t * (P2 + t * (P3 + t * (P4 + t * P5))))
    y = 1.0 - ((low - (r * c) / (2.0 - c)) - high)
    half = np.int64(k) >> np.int64(1)  # the power is split into two factors, because 2**1024 is not a float
    rest = np.int64(k) - half
    first: float = bits_float((half + np.int64(1023)) << np.int64(52))
    second: float = bits_float((rest + np.int64(1023)) << np.int64(52))
    return y * first * second


# log: x = 2**k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), and log(1 + f) by a polynomial in f / (2 + f)
# (fdlibm e_log.c)

SQRT2 = 1.41421356237309504880
SMALLEST_NORMAL = 2.2250738585072014e-308
TWO54 = 18014398509481984.0
L1 = 6.666666666666735130e-01
L2 = 3.999999999940941908e-01
L3 = 2.857142874366239149e-01
L4 = 2.222219843214978396e-01
L5 = 1.818357216161805012e-01
L6 = 1.531383769920937332e-01
L7 = 1.479819860511658591e-01
MANTISSA = 0x000FFFFFFFFFFFFF
ONE_BITS = 0x3FF0000000000000


@kernel
def log(x: float) -> float:
    """Return the natural logarithm; -inf at 0, nan for negative x.

    Example:
        >>> log(10.0)
        2.302585092994046
    """
    if x != x or x == INF:
        return x
    if x <= 0.0:
        return -INF if x == 0.0 else NAN
    shift = 0.0
    if x < SMALLEST_NORMAL:
        x = x * TWO54
        shift = -54.0
    n = float_bits(x)
    k = float((n >> np.int64(52)) - np.int64(1023)) + shift
    m: float = bits_float((n & np.int64(MANTISSA)) | np.int64(ONE_BITS))
    if m >= SQRT2:
        m = m * 0.5
        k = k + 1.0
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    even = w * (L2 + w * (L4 + w * L6))
    odd = z * (L1 + w * (L3 + w * (L5 + w * L7)))
    half_square = 0.5 * f * f
    return k * LN2_HIGH - ((half_square - (s * (half_square + (odd + even)) + k * LN2_LOW)) - f)


@kernel
def log1p(x: float) -> float:
    """Return log(1 + x), which is also accurate for small x (Kahan's correction of the rounding of 1 + x)."""
    u = 1.0 + x
    if u == 1.0:
        return x
    if u == INF or u <= 0.0:
        return log(u)
    return log(u) * x / (u - 1.0)


# sine and cosine: x = n pi/2 + y + rest with |y| <= pi/4, pi/2 in three parts of which the first two have
# 33 bits, so that their products with n < 2**17 are exact (fdlibm e_rem_pio2.c, k_sin.c, k_cos.c)

SINCOS_LIMIT = 1e5
TWO_OVER_PI = 6.36619772367581382433e-01
PIO2_1 = 1.57079632673412561417e00
PIO2_2 = 6.07710050630396597660e-11
PIO2_2T = 2.02226624879595063154e-21
S1 = -1.66666666666666324348e-01
S2 = 8.33333333332248946124e-03
S3 = -1.98412698298579493134e-04
S4 = 2.75573137070700676789e-06
S5 = -2.50507602534068634195e-08
S6 = 1.58969099521155010221e-10
C1 = 4.16666666666666019037e-02
C2 = -1.38888888888741095749e-03
C3 = 2.48015872894767294178e-05
C4 = -2.75573143513906633035e-07
C5 = 2.08757232129817482790e-09
C6 = -1.13596475577881948265e-11


@kernel
def sincos(x: float) -> tuple[float, float]:
    """Return sine and cosine of x (radians) for |x| < 1e5; nan for larger |x|.

    Example:
        >>> sincos(1.0)
        (0.8414709848078965, 0.5403023058681398)
    """
    n = np.floor(x * TWO_OVER_PI + 0.5)
    t = x - n * PIO2_1
    w = n * PIO2_2
    r = t - w
    w = n * PIO2_2T - ((t - r) - w)
    y = r - w
    rest = (r - y) - w

    z = y * y
    v = z * y
    p = S2 + z * (S3 + z * (S4 + z * (S5 + z * S6)))
    s = y - ((z * (0.5 * rest - v * p) - rest) - v * S1)

    q = z * (C1 + z * (C2 + z * C3)) + (z * z) * (z * z) * (C4 + z * (C5 + z * C6))
    half = 0.5 * z
    u = 1.0 - half
    c = u + (((1.0 - u) - half) + (z * q - y * rest))

    # Selections instead of branches, and a quadrant that is a float, let the compiler vectorise loops.
    quadrant = n - 4.0 * np.floor(0.25 * n)
    odd = (quadrant == 1.0) | (quadrant == 3.0)
    sine = c if odd else s
    cosine = s if odd else c
    sine = -sine if quadrant >= 2.0 else sine
    cosine = -cosine if (quadrant == 1.0) | (quadrant == 2.0) else cosine
    legal = (x > -SINCOS_LIMIT) & (x < SINCOS_LIMIT)
    return (sine if legal else NAN), (cosine if legal else NAN)


@kernel
def norminv(p: float) -> float:
    """Return the standard normal quantile of p (AS 241, PPND16); -inf at 0, inf at 1, nan outside [0, 1].

    Example:
        >>> norminv(0.975)
        1.9599639845400536
    """
    if not (0.0 <= p <= 1.0):
        return NAN
    if p == 0.0:
        return -INF
    if p == 1.0:
        return INF
    q = p - 0.5
    if -0.425 <= q <= 0.425:
        r = 0.180625 - q * q
        top = 3.3430575583588128105e4 + r * 2.5090809287301226727e3
        top = 4.5921953931549871457e4 + r * (6.7265770927008700853e4 + r * top)
        top = 1.9715909503065514427e3 + r * (1.3731693765509461125e4 + r * top)
        top = 3.3871328727963666080e0 + r * (1.3314166789178437745e2 + r * top)
        bottom = 2.8729085735721942674e4 + r * 5.2264952788528545610e3
        bottom = 2.1213794301586595867e4 + r * (3.9307895800092710610e4 + r * bottom)
        bottom = 6.8718700749205790830e2 + r * (5.3941960214247511077e3 + r * bottom)
        bottom = 1.0 + r * (4.2313330701600911252e1 + r * bottom)
        return q * top / bottom
    tail = p if q < 0.0 else 1.0 - p
    r = math.sqrt(-log(tail))
    if r <= 5.0:
        r = r - 1.6
        top = 2.27238449892691845833e-2 + r * 7.74545014278341407640e-4
        top = 1.27045825245236838258e0 + r * (2.41780725177450611770e-1 + r * top)
        top = 5.76949722146069140550e0 + r * (3.64784832476320460504e0 + r * top)
        top = 1.42343711074968357734e0 + r * (4.63033784615654529590e0 + r * top)
        bottom = 5.47593808499534494600e-4 + r * 1.05075007164441684324e-9
        bottom = 1.48103976427480074590e-1 + r * (1.51986665636164571966e-2 + r * bottom)
        bottom = 1.67638483018380384940e0 + r * (6.89767334985100004550e-1 + r * bottom)
        bottom = 1.0 + r * (2.05319162663775882187e0 + r * bottom)
    else:
        r = r - 5.0
        top = 2.71155556874348757815e-5 + r * 2.01033439929228813265e-7
        top = 2.65321895265761230930e-2 + r * (1.24266094738807843860e-3 + r * top)
        top = 1.78482653991729133580e0 + r * (2.96560571828504891230e-1 + r * top)
        top = 6.65790464350110377720e0 + r * (5.46378491116411436990e0 + r * top)
        bottom = 1.42151175831644588870e-7 + r * 2.04426310338993978564e-15
        bottom = 7.86869131145613259100e-4 + r * (1.84631831751005468180e-5 + r * bottom)
        bottom = 1.36929880922735805310e-1 + r * (1.48753612908506148525e-2 + r * bottom)
        bottom = 1.0 + r * (5.99832206555887937690e-1 + r * bottom)
    z = top / bottom
    return -z if q < 0.0 else z
