"""Fits: parameters recovered from an emulator's noisy log, their intervals, and unidentifiable ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from refusals import refused

import serpenoid as sp
from serpenoid.cli import main
from serpenoid.configuration import changed
from serpenoid.errors import HardwareFault, InvalidValue, UnknownName
from serpenoid.hardware import Fault, compare_log
from serpenoid.hardware.dry_run import law_of
from serpenoid.hardware.fit import Fit, axes_of, fit
from serpenoid.hardware.module_logs import ModuleLog, log_of
from serpenoid.hardware.replay import simulate_log
from serpenoid.robots.drives import PD
from serpenoid.robots.sensors import Sensor, Sensors
from serpenoid.scenarios.presets import Slithering
from serpenoid.scenarios.slither import Slither
from serpenoid.simulation import world_for

OVER = ("robot.drive.stiffness", "robot.joint_damping", "world.friction_transverse")
TRUTH = (3.0, 0.02, 0.9)  # spring of the direct drive [N m/rad], damping [N m s/rad], floor friction
GAIT = sp.gaits.Serpenoid(amplitude=0.5, frequency=0.5, spatial_frequency=-5.6)
REAL = Slither(robot=sp.robots.PlanarSnake(joint_damping=0.02), gait=GAIT, duration=1.0, settle=0.5)
GUESS = replace(
    REAL,
    robot=replace(REAL.robot, joint_damping=0.03, drive=PD(4.0, 0.05, 1.0)),
    world=replace(REAL.world, friction_transverse=0.7),
)
NOISE = Sensors(joint_position=Sensor(noise=1e-3), joint_velocity=Sensor(noise=0.01), joint_torque=Sensor(noise=0.01))


def twin_run(seed: int, faults: tuple[Fault, ...] = ()) -> sp.Trajectory:
    """Noisy module readings of a run with the true parameters."""
    with sp.hardware.twin(replace(REAL.robot, sensors=NOISE), world_for(*REAL.parts()), faults=faults) as plant:
        return sp.run_loop(plant, law_of(REAL), REAL.duration, seed=seed)


def fitted(run: sp.Trajectory) -> Fit:
    return fit(log_of(run, REAL.robot.joint_names), GUESS, OVER)


@pytest.fixture(scope="module")
def run() -> sp.Trajectory:
    return twin_run(0)


@pytest.fixture(scope="module")
def found(run: sp.Trajectory) -> Fit:
    return fitted(run)


def test_a_fit_finds_spring_damping_and_friction(found: Fit) -> None:
    """Within 5 %, identifiable separately, and with the injected noise."""
    assert [estimate.name for estimate in found.estimates] == [*OVER, "delay"]
    for estimate, true in zip(found.estimates, (*TRUTH, 0.0)):
        assert estimate.determined and estimate.value == pytest.approx(true, rel=0.05, abs=1e-4)
        assert estimate.low <= estimate.value < estimate.high
    assert not found.alike
    assert found.noise["joint_position"] == pytest.approx(1e-3, rel=0.1)
    assert found.noise["joint_torque"] == pytest.approx(0.01, rel=0.1)
    assert found.scenario.robot.drive.stiffness == found.estimates[0].value


@pytest.mark.full
def test_intervals_cover_the_truth() -> None:
    """In at least 45 of 50 seeds, every parameter alone, each within 5 %."""
    covered = np.zeros(3, dtype=int)
    for seed in range(50):
        estimates = fitted(twin_run(seed)).estimates
        covered += [estimate.low <= true <= estimate.high for estimate, true in zip(estimates, TRUTH)]
        assert all(estimate.value == pytest.approx(true, rel=0.05) for estimate, true in zip(estimates, TRUTH))
    assert (covered >= 45).all(), covered


def test_a_delay_is_found_and_does_not_spoil_the_rest() -> None:
    """Packets that take 2 ms each way: 4 ms from a reading to the command that rests on it."""
    for seed in range(3):
        estimates = fitted(twin_run(seed, (Fault("late", amount=0.002),))).estimates
        for estimate, true in zip(estimates, (*TRUTH, 0.004)):
            assert estimate.value == pytest.approx(true, rel=0.05), estimate
            assert estimate.low <= true <= estimate.high, estimate


SLITHERING = Slithering(duration=4.0)
MODULES = ("robot.drive.stiffness", "robot.joint_damping", "world.friction")


def realtime_log() -> ModuleLog:
    """Four seconds of the emulator in real time; again where the machine was too busy for it."""
    for _ in range(5):
        with sp.hardware.twin(SLITHERING.robot, SLITHERING.world, realtime=True) as plant:
            try:
                return log_of(sp.run_loop(plant, law_of(SLITHERING), 4.0), SLITHERING.robot.joint_names)
            except HardwareFault:
                continue
    raise AssertionError("held in five runs of five")


@pytest.mark.full
def test_intervals_cover_the_truth_in_real_time() -> None:
    """In at least 45 of 50 logs, every parameter alone, from a start that is off by a fifth."""
    guess = changed(SLITHERING, dict(zip(MODULES, (24.0, 0.01, 0.4))))
    covered = np.zeros(3, dtype=int)
    for _ in range(50):
        estimates = fit(realtime_log(), guess, MODULES).estimates
        covered += [estimate.low <= true <= estimate.high for estimate, true in zip(estimates, (30.0, 0.0, 0.5))]
    assert (covered >= 45).all(), covered


def test_a_run_of_modules_is_simulated_as_it_was_made(tmp_path: Path) -> None:
    """The soft start and every command at its time: no reading differs, under the plain names of real time as well."""
    with sp.hardware.twin(REAL.robot, world_for(*REAL.parts())) as plant:
        run = sp.run_loop(plant, law_of(REAL), REAL.duration)
    log = log_of(run, REAL.robot.joint_names)
    assert log.times[0] < 0.0 and log.commands is not None
    ours, read = simulate_log(REAL, log), log.begun()
    for name, rows in read.values.items():
        np.testing.assert_allclose(ours.at(name, read.times), rows, atol=1e-9, err_msg=name)
    found = compare_log(run.save(tmp_path / "run.zarr"), REAL)
    assert max(row.greatest for row in found.joints) < 1e-9
    names = ("joint_position", "joint_velocity", "joint_torque")
    plain = {name: replace_dims(run, f"sensed_{name}") for name in names}
    ticked = {name: variable_of(run, name) for name in ("command_position", "reading_time", "sending_time")}
    bare = sp.Trajectory(run["tick"], {**plain, **ticked}, {"joint": REAL.robot.joint_names}, {}, run["tick"])
    same = log_of(bare, REAL.robot.joint_names)
    assert same.sensed and same.commands is not None
    np.testing.assert_array_equal(same.times, log.times)
    np.testing.assert_array_equal(same.values["joint_torque"], log.values["joint_torque"])


def variable_of(run: sp.Trajectory, name: str) -> tuple:
    """A variable as a trajectory is made of."""
    return run.dataset[name].dims, run[name], "", ""


def replace_dims(run: sp.Trajectory, name: str) -> tuple:
    """The same over samples instead of ticks."""
    return ("time", "joint"), run[name], "", ""


def test_what_a_log_cannot_tell_is_said() -> None:
    """Two fields with the same effect are not separable; one without effect is not identifiable."""
    run = replace(REAL, duration=0.6).run()
    rng = np.random.default_rng(1)
    values = {"joint_position": run["joint_position"] + 1e-3 * rng.standard_normal(run["joint_position"].shape)}
    log = ModuleLog(REAL.robot.joint_names, run.times, values, sensed=False)
    nothing = fit(log, REAL, ("world.viscous_transverse",))
    assert not nothing.estimates[0].determined  # the ground is dry
    fluid = replace(REAL, world=replace(REAL.world, medium="fluid"))
    run = replace(fluid, duration=0.6).run()
    values = {"joint_position": run["joint_position"] + 1e-3 * rng.standard_normal(run["joint_position"].shape)}
    pair = ("world.drag_transverse", "world.added_mass", "world.density")
    found = fit(ModuleLog(REAL.robot.joint_names, run.times, values, sensed=False), fluid, pair)
    assert found.alike and any("density" in " ".join(names[:2]) for names in found.alike)


def test_fields_that_cannot_be_fitted_are_refused() -> None:
    with pytest.raises(UnknownName, match="robot.springs"):
        axes_of(REAL, ["robot.springs"])
    with pytest.raises(InvalidValue, match="named once"):
        axes_of(REAL, [OVER[0], OVER[0]])
    with refused("seed"):
        axes_of(REAL, ["seed"])


def test_the_command_line_fits(run: sp.Trajectory, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    path = run.save(tmp_path / "log.zarr")
    fields = [
        "--gait.amplitude",
        "0.5",
        "--gait.frequency",
        "0.5",
        "--gait.spatial_frequency",
        "-5.6",
        "--robot.joint_damping",
    ]
    assert main(["fit", str(path), "--scenario", "slither", "--over", OVER[0], *fields, "0.02", "--until", "9"]) == 0
    said, warned = capsys.readouterr()
    assert "1 s" in warned and "--until 9" in warned
    assert "joint position: remaining error (rms) " in said and " rad\n" in said
    value = float(next(line for line in said.splitlines() if OVER[0] in line).split()[2])
    assert value == pytest.approx(3.0, rel=0.05)
    assert main(["fit", str(path)]) == 2 and main(["fit", str(tmp_path / "none.csv"), "--over", OVER[0]]) == 2
