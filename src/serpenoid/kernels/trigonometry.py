"""Branch-free sine and cosine without calls, so that loops over slots vectorise."""

from __future__ import annotations

from serpenoid.kernels.compile import exact_kernel
from serpenoid.kernels.simd import floor, where_positive

# pi / 2 as a sum of three parts; the first two have 33 bits, so their products with a quadrant number are exact.
HALF_PI_HIGH = 1.5707963267341256e00
HALF_PI_MIDDLE = 6.0771005063039660e-11
HALF_PI_LOW = 2.0222662487959506e-21


@exact_kernel
def sine_cosine(angle):
    """Return (sin, cos) of an angle [rad] to 2 units in the last place for |angle| < 1e5.

    The nearest multiple of pi/2 is subtracted, so |r| <= pi/4 remains. With z = r^2, the result is

        sin r = r + r z P(z),    cos r = 1 - z/2 + z^2 Q(z)

    P and Q interpolate at Chebyshev points and are summed in pairs to shorten dependency chains.
    """
    quadrant = floor(angle * 0.6366197723675814 + 0.5)
    r = ((angle - quadrant * HALF_PI_HIGH) - quadrant * HALF_PI_MIDDLE) - quadrant * HALF_PI_LOW
    z = r * r
    zz = z * z
    p = -1.6666666666666666e-01 + z * 8.333333333330936e-03
    p += zz * (-1.9841269836740532e-04 + z * 2.7557316093198404e-06)
    p += (zz * zz) * (-2.5051129896450185e-08 + z * 1.5917988979397432e-10)
    q = 4.1666666666666664e-02 - z * 1.3888888888887389e-03
    q += zz * (2.48015872987544e-05 - z * 2.755731726587808e-07)
    q += (zz * zz) * (2.087614504941318e-09 - z * 1.138254464534925e-11)
    sine = r + (r * z) * p
    cosine = (1.0 - 0.5 * z) + zz * q
    # The quadrant modulo 4 in floating point: no integer conversions inside vector loops.
    turn = quadrant - 4.0 * floor(quadrant * 0.25)
    odd = turn - 2.0 * floor(turn * 0.5)
    sign_sine = 1.0 - 2.0 * floor(turn * 0.5)
    sign_cosine = sign_sine * (1.0 - 2.0 * odd)
    swapped_sine = where_positive(odd, cosine, sine)
    swapped_cosine = where_positive(odd, sine, cosine)
    return sign_sine * swapped_sine, sign_cosine * swapped_cosine
