"""Pulse plans of scenarios for servos."""

from __future__ import annotations

import numpy as np

from serpenoid.configuration import kind_of
from serpenoid.errors import Unsupported
from serpenoid.gaits.base import Gait
from serpenoid.hardware.servos import Plan, Servo, plan
from serpenoid.kernels.motion import motion_samples
from serpenoid.planning import RecedingHorizon
from serpenoid.scenarios import Scenario, name_of_kind
from serpenoid.support.kernel_inputs import motion_of


def plan_scenario(scenario: Scenario, servo: Servo) -> Plan:
    """Plan pulses for a scenario's gait; the torques of its run are compared with the servo's."""
    robot, _, gait = scenario.parts()
    if not isinstance(gait, Gait):
        has = "planner" if isinstance(gait, RecedingHorizon) else "controller"
        raise Unsupported(f"servo plan needs a scenario with a gait; {name_of_kind(kind_of(scenario))} has a {has}")
    times = servo.frame * np.arange(int(scenario.duration / servo.frame + 1e-9) + 1)
    angles = motion_samples(motion_of(gait, robot), times)[0]
    run = scenario.run()
    torques = np.array([np.interp(times, run.times, torque) for torque in run["joint_torque"].T]).T
    return plan(servo, robot.joint_names, times, angles, torques)
