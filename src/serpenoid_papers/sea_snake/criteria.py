"""Criteria of the claims of the SEA-snake thesis by number, fixed before any run; no run() imports this file."""

from __future__ import annotations

from typing import Any

from serpenoid_papers.criterion import Criterion
from serpenoid_papers.sea_snake.rules import beats, both, combine, either, least, limits, most, rarer, ratios, true


def moves(m: dict[str, Any]) -> bool:
    """Test S8: every gait makes progress in its direction."""
    parts = [(part["lengths_per_cycle"], part["off_deg"]) for part in m.values()]
    return all(rate >= 0.02 and off <= 30.0 for rate, off in parts)


def best_of_three(m: dict[str, Any]) -> bool:
    """Test S9: linear progression is slowest and costliest, sidewinding at least twice as fast."""
    speed, cost = m["speed"], m["cost"]
    slowest = min(speed, key=speed.get) == max(cost, key=cost.get) == "linear progression"
    return all([slowest, speed["sidewinding"] >= 2.0 * speed["linear progression"]])


def round_the_apex(m: dict[str, Any]) -> bool | None:
    """Test that radii fall with the taper, near those of a cone, and the other half turns oppositely; None if
    unmeasured.
    """
    near = (None if ratio is None else 0.5 <= ratio <= 2.0 for ratio in m["whole_over_ideal"])
    return combine([*map(bool, m["falls"].values()), *near, bool(m["other_way"])])


def little_friction(m: dict[str, Any]) -> bool:
    """Test S10: speed at friction 0.2 to 1, on rough ground, and the work of friction."""
    held = all(abs(share - 1.0) <= 0.15 for mu, share in m["friction"].items() if 0.2 <= float(mu) <= 1.0)
    return all([held, m["rough"]["0.01"] >= 0.7, m["friction_work_ratio"] <= 0.5])


def wider(m: dict[str, Any]) -> bool | None:
    """Test S62: the range of AC-SFC [m] against that of open loop. Return None if neither has one."""
    ranges = [m[name] for name in ("AC_SFC_range", "OL_range")]
    return ranges[0] >= 1.2 * ranges[1] if any(ranges) else None


CRITERIA: dict[str, Criterion] = {
    "S1": Criterion(
        "size, mass, torque, speed and current of the module", "Table 2.1, p. 9",
        "mass and length of 16 modules 0.5 %; stall 6.65-7.07 N m; top speed 3.28-3.53 rad/s; current at most 0.6 A",
        both(most(mass_error=0.005, length_error=0.005, greatest_current=0.6),
             limits(stall_torque=(6.65, 7.07), top_speed=(3.28, 3.53))),
    ),
    "S2": Criterion(
        "torque is sensed as the deflection of the spring", "p. 8, 9, 33",
        "identity 1e-9; direct and two-mass drives differ by at most 10 % of the rms torque",
        most(identity=1e-9, fidelity_difference=0.1),
    ),
    "S3": Criterion(
        "the spring absorbs shocks, controls force and stores energy", "p. 8",
        "peak gear torque at 30 N m/rad at most half of that at 3000; torque within 2 % after 0.2 s; 0.82 J "
        "at 7 N m, 2 %",
        most(peak_ratio=0.5, torque_error=0.02, stored_error=0.02),
    ),
    "S4": Criterion(
        "four strategies at 1 kHz control position, velocity and torque", "p. 8-9",
        "a plain implementation agrees to 1e-12; strategies 2 to 4 track within 0.1 rad rms; PWM always within -1..1",
        most(twin_difference=1e-12, greatest_rms_error=0.1, greatest_pwm=1.0),
    ),
    "S5": Criterion(
        "calls, rates and groups of the HEBI interface", "p. 12-15",
        "22 of 22 calls; rates 1 %; the whole chain from any of its modules",
        both(limits(calls=(22, 22)), most(rate_error=0.01), true("whole_chain")),
    ),
    "S6": Criterion(
        "control of all joints in real time, without external sensors", "p. 4, 44, 50, 58",
        "99th percentile of a tick at most 1 ms; same output if all else is unknown; 99.9 % of the clock's periods "
        "of 10 ms kept, 18 joints over UDP",
        both(most(tick_99_ms=1.0, changed_outputs=0), least(periods_kept=0.999)),
    ),
    "S7": Criterion(
        "one formula with few parameters generates the gaits", "p. 17; list p. 3-4",
        "every named gait is (3.1) plus taper or helix term to 1e-12, at most 9 parameters for 18 joints",
        lambda m: all([m["difference"] <= 1e-12, m["parameters"] <= 9]),
    ),
    "S8": Criterion(
        "every gait moves in its direction", "p. 3-4",
        "each moves at least 0.02 body lengths per cycle within 30 deg of the stated direction", moves,
    ),
    "S9": Criterion(
        "sidewinding is one of the most efficient and fastest gaits, rolling is efficient, linear progression is not",
        "p. 3, 43", "linear progression slowest and costliest of the three; sidewinding at least 2 x its speed",
        best_of_three,
    ),
    "S10": Criterion(
        "sidewinding depends little on the ground and needs little friction", "p. 3, 43",
        "speed at friction 0.2-1 within 15 % of 0.5; at least 70 % at 10 mm of roughness; friction work per metre at "
        "most half of linear progression's", little_friction,
    ),
    "S11": Criterion(
        "open loop suffices in open terrain and gets stuck in clutter", "p. 4, 21, 57-58",
        "flat floor: speed within 10 %; pegs: stuck at least twice as often, McNemar",
        both(limits(speed_ratio=(0.9, 1.1)), least(stuck_ratio=2.0), rarer("stuck AWP, OL")),
    ),
    "S12": Criterion(
        "the serpenoid is a sum of shape bases", "(3.6), p. 20", "1e-12", most(difference=1e-12),
    ),
    "S13": Criterion(
        "admittance has one attractor and returns to it", "(3.7), (3.13), p. 21-23",
        "closed form to 1e-6; 100 of 100 return", both(most(difference=1e-6), limits(returned=(100, 100))),
    ),
    "S14": Criterion(
        "the Jacobian maps joint torques to shape forces", "(3.11)-(3.14), (4.8), (4.19), (4.28)",
        "finite differences 1e-6; power 1e-12; every push does positive work, with anti-compliance negative",
        both(most(difference=1e-6, power=1e-12), true("compliance_yields", "anti_compliance_resists")),
    ),
    "S15": Criterion(
        "joint compliance loses the shape, position control does not yield, shape compliance keeps the shape and "
        "yields", "p. 22-24",
        "residual to the serpenoid at least 1.5 x; both others stuck more often, McNemar",
        both(least(residual_ratio=1.5), rarer("stuck AW, JA", "stuck AW, OL")),
    ),
    "S16": Criterion(
        "a single window for all joints suffices only in a uniform environment", "p. 24",
        "cycles of one window over many: above 1 on irregular boards, and greater there than on regular ones",
        ratios("irregular", "irregular / regular"),
    ),
    "S17": Criterion(
        "Gaussian windows interfere, sigmoid windows almost not", "p. 27-28, Fig. 4.2",
        "wave number in the middle of a window: sigmoid within 1 %, Gaussian off by at least 5 %",
        both(most(sigmoid=0.01), least(gaussian=0.05)),
    ),
    "S18": Criterion(
        "a window is half a wave, and a growing window includes more joints", "p. 28, Fig. 4.2, 4.4",
        "three joints become five; three windows fill the body; each spans pi of phase, 1e-9",
        both(limits(joints_before=(3, 3), joints_after=(5, 5)), most(fill_error=1e-9, phase_error=1e-9)),
    ),
    "S19": Criterion(
        "windows move backwards, start at the head, and return from the tail", "p. 28",
        "edges in order; weights sum to 1 within 1e-9; targets continuous; a returning window has its old values",
        both(most(weight_error=1e-9), true("in_order", "continuous", "values_return")),
    ),
    "S20": Criterion(
        "shape travels down the body, which is difficult with CPGs", "p. 35, 51",
        "delay of the wave +-10 %, correlation at least 0.8; CPG at most 0.5",
        both(limits(delay_ratio=(0.9, 1.1), cpg_correlation=(-1.0, 0.5)), least(correlation=0.8)),
    ),
    "S21": Criterion(
        "with windows, a local force changes the wavelength locally", "p. 26-28, Fig. 4.1",
        "far windows change by at most 20 % of the pushed one", most(far_share=0.2),
    ),
    "S22": Criterion(
        "the wave number complies from 1.5 waves to one and to two, and returns", "p. 26, Fig. 4.1",
        "reaches 2.2 pi and 3.8 pi unsaturated; within 5 % of 3 pi 3.5 s after each release",
        both(most(least_over_pi=2.2, return_error=0.05, saturated=0), least(greatest_over_pi=3.8)),
    ),
    "S23": Criterion(
        "the phase slows under force and catches up", "p. 31, Fig. 4.5",
        "at most half its rate while held, faster than nominal afterwards; lag below 5 % of its maximum after 3 s",
        both(limits(held_rate=(float("-inf"), 0.5)), true("faster_after"), most(lag_share=0.05)),
    ),
    "S24": Criterion(
        "anti-compliance pushes back and returns", "p. 50-51", "opposite in sign to compliance; returns as S22",
        both(true("opposite_sign"), most(return_error=0.05)),
    ),
    "S25": Criterion(
        "no motion without pegs on isotropic friction", "p. 25, 33",
        "below 5 mm per cycle at pi/4 on the explicit floor; MuJoCo's value is also reported",
        lambda m: abs(m["explicit_mm_per_cycle"]) < 5.0,
    ),
    "S26": Criterion(
        "shape compliance needs fewer cycles per metre than the CPG", "p. 35, Fig. 4.6",
        "CPG over A, AW and AWP: each above 1", ratios("CPG / A", "CPG / AW", "CPG / AWP"),
    ),
    "S27": Criterion(
        "the more parameters comply, the smaller the variability", "p. 35, 36",
        "spread of log cycles per metre: CPG > A > AW > AWP, each step", ratios("CPG / A", "A / AW", "AW / AWP"),
    ),
    "S28": Criterion(
        "a compliant wave number is more effective and reduces contact impulses", "p. 26, 35",
        "A over AW above 1 in cycles and in peg impulse per metre", ratios("cycles A / AW", "impulse A / AW"),
    ),
    "S29": Criterion(
        "a compliant central phase improves and smooths the motion", "p. 31, 35, 36",
        "AW over AWP above 1 in cycles and in variation of the travel per cycle",
        ratios("cycles AW / AWP", "variation AW / AWP"),
    ),
    "S30": Criterion(
        "phases in windows worsen progress and waveform", "p. 31, 36",
        "AWPw over AWP above 1 in cycles and in residual of the command",
        ratios("cycles AWPw / AWP", "residual AWPw / AWP"),
    ),
    "S31": Criterion(
        "windows perform better than a single window and than joint compliance", "p. 26, 35",
        "both stuck more often, McNemar; cycles over AW above 1",
        both(rarer("stuck AW, AW1", "stuck AW, JA"), ratios("AW1 / AW", "JA / AW")),
    ),
    "S32": Criterion(
        "half a wave is the best window", "p. 34, 36",
        "lowest or within 10 % of it, and better than a joint and the whole body",
        both(most(half_over_best=1.1), ratios("joint / half", "body / half")),
    ),
    "S33": Criterion(
        "jams dominate the data", "p. 35", "rank correlation of cycles per metre and stuck time at least 0.7",
        least(rank_correlation=0.7),
    ),
    "S34": Criterion(
        "a jam delays the phase, force grows with the lag, and the phase returns", "p. 31, 35",
        "force K lag within 10 %; lag below 0.1 rad within 2 cycles after 80 % of events; A and omega_S "
        "deviate more in events",
        both(most(force_error=0.1), least(recovered_share=0.8), ratios("deviation A", "deviation omega_S")),
    ),
    "S35": Criterion(
        "the waveform of the CPG degenerates in tight spots", "p. 35",
        "residual during stuck time over AW's at least 1.5", least(residual_ratio=1.5),
    ),
    "S36": Criterion(
        "cycles per metre do not depend on the rate", "p. 34, 36", "within 15 % of those at 1.8 rad/s",
        most(greatest_change=0.15),
    ),
    "S37": Criterion(
        "performance does not depend on the number of joints", "p. 36", "cycles per metre within 25 % of nine joints",
        most(greatest_change=0.25),
    ),
    "S38": Criterion(
        "a smoother, more predictable path than the CPG's", "p. 35",
        "CPG over AWP above 1 in rms curvature and in spread of the travel per cycle",
        ratios("curvature CPG / AWP", "spread CPG / AWP"),
    ),
    "S39": Criterion(
        "amplitude and wave number set radius and pitch, whose ratio is constant for omega_S = k A",
        "(4.9)-(4.12), p. 37",
        "radius 5 %, pitch 10 % for r of 8 cm or more; p / r constant within 1 %",
        lambda m: all([m["radius"] <= 0.05, m["pitch"] <= 0.1, m["ratio"] <= 0.01]),
    ),
    "S40": Criterion(
        "rolling changes smoothly into the helix, at the pole and off the floor", "p. 36, 38, Fig. 4.7, 4.8",
        "closed form 2 %; continuous targets; 12 of 15 off the floor",
        both(most(difference=0.02), true("continuous"), least(off_the_floor=12)),
    ),
    "S41": Criterion(
        "one window at the start, one per half coil after winding", "p. 40, Fig. 4.9", "1, then 4 or 5",
        limits(at_start=(1, 1), wound=(4, 5)),
    ),
    "S42": Criterion(
        "the squeeze grows until friction supports the weight", "p. 37-39, 42",
        "normal force (R / r) x squeeze within 40 %; the least squeeze that climbs falls with friction",
        both(most(force_error=0.4), true("least_squeeze_found", "falls_with_friction")),
    ),
    "S43": Criterion(
        "climbs up and down without falling", "p. 4, 36",
        "no fall in at least 95 %; slip at most 10 %",
        most(fall_share=0.05, slip_share=0.05),
    ),
    "S44": Criterion(
        "the snake adapts to a varying diameter without slipping or falling", "p. 37, 42",
        "no fall and slip at most 10 % in 95 %; the best fixed shape fails more often, McNemar",
        both(least(good_share=0.95), rarer("fails CWA, fixed")),
    ),
    "S45": Criterion(
        "windows are necessary if the diameter varies along the body", "p. 39, 42",
        "without them at least half of the runs fail that succeed with them", least(lost_share=0.5),
    ),
    "S46": Criterion(
        "compliance reacts to sudden changes, the set point follows slowly", "p. 40-41",
        "R at least 5 x faster than R0; squeeze within the thresholds 80 % of the time, more than without "
        "adaptation",
        both(least(speed_ratio=5.0, within_share=0.8), ratios("within CWA / CW")),
    ),
    "S47": Criterion(
        "the snake crawls inside pipes", "p. 4, 36",
        "horizontal: at least 0.02 body lengths per cycle; vertical: no fall (here: fixed shape)",
        lambda m: all([all(way >= 0.02 for way in m["level"].values()), not any(m["upright_falls"].values())]),
    ),
    "S48": Criterion(
        "the filter is better than accelerometers or gyroscopes alone", "p. 45",
        "tilt error below both, and at most 3 deg rms",
        most(over_accelerometer=1.0, over_gyroscope=1.0, filter_rms_deg=3.0),
    ),
    "S49": Criterion(
        "many IMUs improve the estimate", "p. 45, 46", "error falls with each step from 1 to 18; 18 over 1 at most 0.5",
        both(true("falls_each_step"), most(all_over_one=0.5)),
    ),
    "S50": Criterion(
        "the virtual chassis is a good body frame if the shape is cyclic", "p. 45-46, Fig. 4.11",
        "swing at most 1/3 of the head's; flips only if s1 / s2 is below 1.2, all detected",
        most(swing_over_head=1.0 / 3.0, flip_at_ratio=1.2, missed_flips=0),
    ),
    "S51": Criterion(
        "delta = 3 pi/4 gives straight sidewinding, beta = pi reverses it", "p. 47",
        "radius of the path at least 5 body lengths, speed at least half of the best; beta = pi: direction 180 +-15 "
        "deg, speed within 10 %",
        both(least(radius_lengths=5.0, speed_over_best=0.5, turned_deg=165.0), limits(speed_ratio=(0.9, 1.1))),
    ),
    "S52": Criterion(
        "two wells of the reversal: small headings have little effect, large ones switch the well",
        "p. 47-49, Fig. 4.12",
        "beta at most 0.25 h up to 45 deg; switches within 2 deg of the closed form; 10 of 10, both ways",
        both(most(share_of_heading=0.25, switching_error_deg=2.0), limits(turns_left=(10, 10), turns_right=(10, 10))),
    ),
    "S53": Criterion(
        "the heading changes first, beta follows, then jumps", "p. 48, Fig. 4.13, 4.14",
        "heading first in all; rise time of beta at most 1/3 of the heading's",
        both(least(heading_first_share=1.0), most(rise_ratio=1.0 / 3.0)),
    ),
    "S54": Criterion(
        "a slow change of phase would hinder", "p. 48", "a linear link is slower or fails more often",
        either(ratios("time linear / cubic"), rarer("fails cubic, linear")),
    ),
    "S55": Criterion(
        "conical sidewinding turns about the apex, with a radius set by the taper", "p. 49",
        "radius falls with every step; whole body: within a factor 2 of l (1 / taper - 1/2); other half turns "
        "oppositely",
        round_the_apex,
    ),
    "S56": Criterion(
        "heading adjustment keeps the direction", "p. 50, 55",
        "error below 10 deg after 30 s and at the end in 95 %; larger without",
        both(least(kept_share=0.95), ratios("error without / with")),
    ),
    "S57": Criterion(
        "classic sidewinding becomes ineffective among obstacles", "p. 43", "passes at most half as often, McNemar",
        both(most(pass_ratio=0.5), rarer("passes classic, OL")),
    ),
    "S58": Criterion(
        "inertial turning is reliable", "p. 54-55", "reversed and moving away in at least 95 % of the runs that passed",
        least(turned_share=0.95),
    ),
    "S59": Criterion(
        "failures: AC-SFC none, SFC a few, AC the most, OL unreliable", "p. 55, Fig. 4.15",
        "AC-SFC at most 13 % and fewest; SFC at most 20 %; AC most",
        both(most(AC_SFC=0.13, SFC=0.2),
             rarer("AC-SFC, SFC", "AC-SFC, OL", "AC-SFC, AC", "SFC, AC", "OL, AC")),
    ),
    "S60": Criterion(
        "times: AC fastest, AC-SFC slightly faster than OL, SFC slowest", "p. 55-56, Fig. 4.16",
        "AC below AC-SFC; AC-SFC over OL 0.8-1; SFC slowest; means 15-60 s, slowest over fastest at most 4",
        both(ratios("AC-SFC / AC", "SFC / AC", "SFC / AC-SFC", "SFC / OL"), most(slowest_over_fastest=4.0),
             limits(AC_SFC_over_OL=(0.8, 1.0), least_mean=(15.0, 60.0), greatest_mean=(15.0, 60.0))),
    ),
    "S61": Criterion(
        "with anti-compliance, the snake passes fewer openings before it enters one",
        "p. 54-55, Fig. 4.15", "AC-SFC fewer than OL",
        ratios("OL / AC-SFC"),
    ),
    "S62": Criterion(
        "open loop passes only openings of one width", "p. 55",
        "range of widths with half of the runs passing: wider by at least 20 %", wider,
    ),
    "S63": Criterion(
        "for a gait that does not need obstacles, reacting against forces is better than complying", "p. 44, 50, 56",
        "fewer failures, or as many and a shorter time, than with the compliant sign", beats("AC-SFC compliant"),
    ),
    "S64": Criterion(
        "central wave number with amplitude in half waves is best", "p. 44, 51",
        "fewest failures, or as few and the shortest time, of four combinations",
        beats("both central", "both windowed", "the other way round"),
    ),
    "S65": Criterion(
        "the wave number fits the snake to the opening, the amplitude pushes it through", "p. 50",
        "while touching, axial length falls and A rises; speed and A correlate above 0 (lower end of the interval)",
        both(ratios("length free / touching", "A touching / free"), least(correlation_low=0.0)),
    ),
    "S66": Criterion(
        "one framework covers three gaits", "p. 58",
        "no branch on the gait's name; parameters counted for each of three",
        both(most(branches_on_the_name=0), limits(gaits_counted=(3, 3))),
    ),
}  # fmt: skip
