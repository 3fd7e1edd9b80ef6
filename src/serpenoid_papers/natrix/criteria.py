"""Criteria of the claims of the NATRIX paper, fixed beforehand; no experiment's run() imports this file."""

from __future__ import annotations

from serpenoid_papers.criterion import Criterion

CRITERIA: dict[str, Criterion] = {
    "N1": Criterion(
        "recursion (12)-(13), closed sums (14)-(16) and an independent library agree, torques included",
        "not shown",
        "relative differences at most 1e-10",
        lambda m: None if m["Pinocchio, base"] is None else all(value <= 1e-10 for value in m.values()),
    ),
    "N2": Criterion(
        "Fig. 4: a frozen floating shape conserves its energy over 10 s",
        "loses 1 %",
        "at most 1e-6",
        lambda m: m <= 1e-6,
    ),
    "N3": Criterion(
        "Fig. 4: about 15 oscillations in 10 s; the energy oscillates at twice the frequency of the motion",
        "15; twice",
        "12.5 to 15.5; 1.99 to 2.01",
        lambda m: all(
            (12.5 <= m["oscillations in 10 s"] <= 15.5, abs(m["energy over motion frequency"] - 2.0) <= 0.01)
        ),
    ),
    "N4": Criterion(
        "Fig. 5: bending without external force leaves the centre of mass at its position, 20 s",
        "1e-4 m",
        "at most 1e-9 m",
        lambda m: m <= 1e-9,
    ),
    "N5": Criterion(
        "Fig. 6: the head's roll grows towards resonance and decays beyond",
        "grows towards 1.5-2 Hz",
        "rank correlation at least 0.7 below and at most -0.7 above",
        lambda m: all((m["rank correlation below"] >= 0.7, m["rank correlation above"] <= -0.7)),
    ),
    "N6": Criterion(
        "Fig. 6 B: beats on both sides of the band, as two close spectral lines",
        "seen on both sides",
        "found on both sides",
        lambda m: all((m["beating below [Hz]"], m["beating above [Hz]"])),
    ),
    "N7": Criterion(
        "Fig. 6 C: capsizing in a narrow band",
        "1.33-1.41 Hz, 180 deg",
        "90 deg: width 0.03 to 0.2 Hz, centre over mean roll frequency 0.9 to 1.1; 180 deg reached",
        lambda m: (
            bool(m["180 deg [Hz]"])
            and 0.03 <= m["width [Hz]"] <= 0.2
            and 0.9 <= m["centre over mean roll frequency"] <= 1.1
        ),
    ),
    "N8": Criterion(
        "the band lies between beats at every amplitude and shifts up in frequency with the amplitude",
        "tongue, moving up",
        "between beats at every amplitude that capsizes, shift above 0",
        lambda m: all(
            (
                m["amplitudes that capsize"] > 0,
                m["of them between beats"] == m["amplitudes that capsize"],
                (m["shift per rad [Hz]"] or 0.0) > 0.0,
            )
        ),
    ),
    "N9": Criterion(
        "the shells change immersion and static stability",
        "stated",
        "waterline moves by 1 mm or more and the metacentric height by 10 % or more",
        lambda m: all(
            (
                m["waterline moves by [mm]"] >= 1.0,
                m["to [mm]"] - m["metacentric height from [mm]"] >= 0.1 * abs(m["apex up [mm]"]),
            )
        ),
    ),
    "N10": Criterion(
        "time for 1 s of physics at RK4 1 ms, without and with buoyancy",
        "0.12 s and 1.23 s",
        "below the paper's",
        lambda m: all((m["dry [s]"] < 0.12, m["with buoyancy [s]"] < 1.23)),
    ),
    "B1": Criterion(
        "beyond the paper: the shells keep the head upright over the whole band in which the open loop capsizes",
        "open question",
        "roll below 45 deg in every run; shells within 1 rad, 6 rad/s, 0.5 N m",
        lambda m: all(
            (
                m["open loop capsizes at [Hz]"],
                m["largest roll with the shells [deg]"] < 45.0,
                m["largest shell angle [rad]"] <= 1.0 + 1e-9,
                m["largest shell rate [rad/s]"] <= 6.0 + 1e-9,
                m["largest shell torque [N m]"] <= 0.5,
            )
        ),
    ),
    "B2": Criterion(
        "beyond the paper: with a neutrally buoyant head, the simulated edges of the tongue equal the Floquet edges",
        "open question",
        "within 0.01 Hz at every amplitude",
        lambda m: m["largest difference of an edge [Hz]"] <= 0.01,
    ),
    "B3": Criterion(
        "beyond the paper: the least damping that prevents capsizing, and the effect of added mass",
        "open question",
        "a table, no verdict",
        lambda m: None,
    ),
    "B4": Criterion(
        "beyond the paper: drag and added mass identified from a noisy recording",
        "our question",
        "every coefficient within 20 % of the true one",
        lambda m: m["largest relative error"] <= 0.2,
    ),
    "B5": Criterion(
        "beyond the paper: forced periodic orbits of the robot with its light head and their Floquet multipliers",
        "open question",
        "a table, no verdict",
        lambda m: None,
    ),
    "B6": Criterion(
        "beyond the paper: neck and shells keep roll, pitch and elevation of the head, by the IMU in it",
        "open question",
        "deviations in still water at every F and Q at most 5 deg of roll, 2 deg of pitch, 5 mm",
        lambda m: all(
            (
                m["largest deviation in still water, roll [deg]"] <= 5.0,
                m["largest deviation in still water, pitch [deg]"] <= 2.0,
                m["largest deviation in still water, elevation [mm]"] <= 5.0,
            )
        ),
    ),
}
