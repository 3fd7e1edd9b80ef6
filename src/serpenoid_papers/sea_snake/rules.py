"""Tests of named measures: definitions of "better" and "more often" in the bands of the SEA-snake thesis.

Every test takes the measures of a claim by name and returns True, False, or None if one is None or does not decide. A
missing measure is a KeyError. Measures of the families S26-S31 and S59-S61 are corrected by Holm's method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import inf
from typing import Any

Verdict = bool | None
Rule = Callable[[Mapping[str, Any]], Verdict]


def combine(verdicts: Iterable[Verdict]) -> Verdict:
    """Combine the parts of a claim: false if one is false, otherwise undecided if one is undecided."""
    found = list(verdicts)
    if False in found:
        return False
    return None if None in found else True


def limits(**bands: tuple[float, float]) -> Rule:
    """Require every named number within its band, ends included."""

    def rule(m: Mapping[str, Any]) -> Verdict:
        return combine(None if m[name] is None else bool(low <= m[name] <= high) for name, (low, high) in bands.items())

    return rule


def most(**bounds: float) -> Rule:
    """Require every named error, share or ratio between 0 and its bound."""
    return limits(**{name: (0.0, bound) for name, bound in bounds.items()})


def least(**bounds: float) -> Rule:
    """Require every named number to be at least its bound."""
    return limits(**{name: (bound, inf) for name, bound in bounds.items()})


def true(*names: str) -> Rule:
    """Require every named statement to be true."""
    return limits(**dict.fromkeys(names, (True, True)))


def better(interval: tuple[float, float] | None) -> Verdict:
    """Return whether the 95 % interval of a ratio is above 1; false if it is below 1 or within 0.9 to 1.1."""
    if interval is None:
        return None
    low, high = interval
    if low > 1.0:
        return True
    return False if high < 1.0 or (low >= 0.9 and high <= 1.1) else None


def ratios(*names: str) -> Rule:
    """Require the 95 % interval (low, high) of every named ratio above 1."""
    return lambda m: combine(better(m[name]) for name in names)


def rarer_than(pair: tuple[float, float, float] | None) -> Verdict:
    """Return whether the first share is below the second by McNemar's exact test: (share, other share, p), at 5 %."""
    if pair is None:
        return None
    share, other, p = pair
    return bool(share < other) if p <= 0.05 and share != other else None


def rarer(*names: str) -> Rule:
    """Require the first of two paired shares to be the smaller one in every named pair "one, other"."""
    return lambda m: combine(rarer_than(m[name]) for name in names)


def both(*rules: Rule) -> Rule:
    """Require all of the rules."""
    return lambda m: combine(rule(m) for rule in rules)


def either(*rules: Rule) -> Rule:
    """Require at least one of the rules; false only if all are."""

    def rule(m: Mapping[str, Any]) -> Verdict:
        found = [each(m) for each in rules]
        if True in found:
            return True
        return None if None in found else False

    return rule


def beats(*rivals: str) -> Rule:
    """Require fewer failures than every rival ("fails RIVAL"), or as many and less time ("time RIVAL" over ours)."""

    def against(m: Mapping[str, Any], rival: str) -> Verdict:
        fewer, faster = rarer_than(m[f"fails {rival}"]), better(m[f"time {rival}"])
        return faster if fewer is None else fewer

    return lambda m: combine(against(m, rival) for rival in rivals)
