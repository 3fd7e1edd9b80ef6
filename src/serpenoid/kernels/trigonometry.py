"""Sine and cosine without branches or calls, so that loops over lanes become vector instructions."""

from __future__ import annotations

from math import floor

from serpenoid.kernels.compile import exact_kernel

# pi / 2 as a sum of three parts; the first two have 33 bits, so that their products with a quadrant number are exact.
HALF_PI_HIGH = 1.5707963267341256e00
HALF_PI_MIDDLE = 6.0771005063039660e-11
HALF_PI_LOW = 2.0222662487959506e-21


@exact_kernel
def sine_cosine(angle):
    """(sin, cos) of an angle [rad] to 2 units in the last place for |angle| < 1e5.

    Reduced to |r| <= pi/4 by the nearest multiple of pi/2, then the Taylor series to r^17 and r^16.
    """
    quadrant = floor(angle * 0.6366197723675814 + 0.5)
    r = ((angle - quadrant * HALF_PI_HIGH) - quadrant * HALF_PI_MIDDLE) - quadrant * HALF_PI_LOW
    square = r * r
    sine = 1.0 / 355687428096000.0
    sine = sine * square - 1.0 / 1307674368000.0
    sine = sine * square + 1.0 / 6227020800.0
    sine = sine * square - 1.0 / 39916800.0
    sine = sine * square + 1.0 / 362880.0
    sine = sine * square - 1.0 / 5040.0
    sine = sine * square + 1.0 / 120.0
    sine = sine * square - 1.0 / 6.0
    sine = sine * square * r + r
    cosine = 1.0 / 20922789888000.0
    cosine = cosine * square - 1.0 / 87178291200.0
    cosine = cosine * square + 1.0 / 479001600.0
    cosine = cosine * square - 1.0 / 3628800.0
    cosine = cosine * square + 1.0 / 40320.0
    cosine = cosine * square - 1.0 / 720.0
    cosine = cosine * square + 1.0 / 24.0
    cosine = cosine * square * square + (1.0 - 0.5 * square)
    # The quadrant modulo 4, in floating point: no integer conversions inside vector loops.
    turn = quadrant - 4.0 * floor(quadrant * 0.25)
    odd = turn - 2.0 * floor(turn * 0.5)
    sign_sine = 1.0 - 2.0 * floor(turn * 0.5)
    sign_cosine = sign_sine * (1.0 - 2.0 * odd)
    swapped_sine = cosine if odd > 0.5 else sine
    swapped_cosine = sine if odd > 0.5 else cosine
    return sign_sine * swapped_sine, sign_cosine * swapped_cosine
