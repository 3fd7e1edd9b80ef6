"""A policy file as any other controller: on the emulator of modules, live in the studio, in the command line."""

from dataclasses import replace

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.cli import main
from serpenoid.control import Learned, Network
from serpenoid.control.files import read_controller, write_controller
from serpenoid.control.kernel_law import first_targets
from serpenoid.runtime.samples import log_of
from serpenoid.scenarios import find_scenario
from serpenoid.studio.live import open_stream

INPUTS, OUTPUTS = ("load", "drag", "effort_slow"), ("amplitude", "phase", "speed")


@pytest.fixture
def policy(tmp_path):
    """Return the file of a policy for any number of joints."""
    size = Network().size(len(INPUTS), len(OUTPUTS))
    weights = np.random.default_rng(2).normal(0.0, 0.2, size)
    path = tmp_path / "policy.toml"
    write_controller(
        path, Learned(inputs=INPUTS, outputs=OUTPUTS, network=Network(weights=tuple(weights.tolist()))), "A test."
    )
    return path


def test_a_policy_on_emulated_modules_is_the_direct_simulation(policy):
    """The law is ticked by the loop of the hardware, and by the engine's compiled rollout."""
    robot, world, law = sp.robots.PlanarSnake(), sp.worlds.Plane(), read_controller(str(policy))
    start = sp.Initial(joint_position=tuple(first_targets(law, robot, 0.01).tolist()))
    direct = sp.simulate(robot, world, law, 1.0, initial=start)
    with sp.hardware.twin(robot, world) as plant:
        run = sp.run_loop(plant, law, 1.0, initial=start)
    for name in ("joint_position", "joint_torque", "base_pose", "command_position"):
        np.testing.assert_allclose(run[name], direct[name], rtol=0.0, atol=1e-9, err_msg=name)


def test_a_policy_runs_live_in_the_studio_and_its_fields_change(policy):
    """Bit for bit the run of the scenario, until a field of its wave is changed."""
    scenario = replace(find_scenario("slither-pegs")(), controller=read_controller(str(policy)), duration=1.0)
    whole, live = scenario.run(), open_stream(scenario)
    for i in range(10):
        sample = next(live)
        seen = sample.engine.variables(log_of([sample]))["joint_position"][0]
        np.testing.assert_array_equal(seen, whole["joint_position"][i])
    live.change("controller.gait.frequency", 0.1)
    assert np.isfinite(next(live).state).all() and live.loop.controller.gait.frequency == 0.1


def test_commands_open_a_policy_for_modules_and_refuse_it_for_another_robot(policy, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["hebi", "run", "slither-pegs", "--twin", "--fast", "--duration", "0.5", "--controller"]
    assert main([*words, str(policy)]) == 0
    assert "saved" in capsys.readouterr().out
    write_controller(policy, replace(read_controller(str(policy)), joints=7), "For another robot.")
    assert main([*words, str(policy)]) == 2
    assert "joints = 7: must be 9" in (printed := capsys.readouterr().err) and printed.count("\n") == 1
