"""The loop around MuJoCo in plain Python: drive laws, motors behind springs, and accounts from the momentum balance.

Only public MuJoCo calls and numpy. The torque of a drive over a step does not use the drive law. It is
the remainder of M (v' - v) / h after weight, friction, contacts and pushes.
"""

from __future__ import annotations

from copy import copy

import mujoco
import numpy as np

from serpenoid.robots import Cascade, SeriesElastic
from serpenoid_papers.gaits.plain_cascade import NaiveModule

NOSLIP_BELOW = 0.01  # speed below which the world's noslip passes are made
FADE = 0.05  # share of the top speed over which the torque limit falls to zero


class NaiveLoop:
    """One robot with a free base on the ground, advanced step by step."""

    def __init__(self, engine, state):
        self.robot, self.world, self.layout = engine.robot, engine.world, engine.layout
        self.model = copy(engine.model)
        self.data = mujoco.MjData(self.model)
        self.step_size = engine.step
        joints = [self.model.joint(name) for name in self.robot.joint_names]
        self.dof = np.array([joint.dofadr[0] for joint in joints])
        self.data.qpos[:7], self.data.qvel[:6] = state[:7], self.part(state, "base_velocity")
        self.data.qpos[[joint.qposadr[0] for joint in joints]] = self.part(state, "joints")
        self.data.qvel[self.dof] = self.part(state, "joint_rates")
        self.places = [joint.qposadr[0] for joint in joints]
        self.motor, self.motor_rate = self.part(state, "joints").copy(), self.part(state, "joint_rates").copy()
        count = len(joints)
        self.impulse, self.square, self.work, self.heat = np.zeros((4, count))
        self.drive_work = self.absolute = self.damping = self.contact = self.external = 0.0
        self.modules = [NaiveModule(self.robot.drive, engine.step) for _ in joints if self.cascade]

    def part(self, state, name):
        return self.layout.part(state, name)

    @property
    def cascade(self):
        return isinstance(self.robot.drive, Cascade)

    @property
    def sprung(self):
        return isinstance(self.robot.drive, Cascade | SeriesElastic)

    def bounds(self, limit, rate):
        """Least and greatest torque at a rate; the limit fades towards the top speed, but not against the motion."""
        top = self.robot.speed_limit
        room = [np.clip((top - side * rate) / (FADE * top), 0.0, 1.0) for side in (-1.0, 1.0)]
        return -limit * room[0], limit * room[1]

    def set_drive(self, j, command):
        """Write the torque on joint j as constant + position part x angle + velocity part x rate, and its limits."""
        drive, bias = self.robot.drive, self.model.actuator_biasprm[j]
        if self.sprung:
            held = drive.spring * self.motor[j] + drive.spring_damping * self.motor_rate[j]
            bias[:3] = held, -drive.spring, -drive.spring_damping
            return
        angle, rate, torque = command[:, j]
        kp = 0.0 if np.isnan(angle) else drive.stiffness
        kd = 0.0 if np.isnan(angle) and np.isnan(rate) else drive.damping
        bias[:3] = kp * np.nan_to_num(angle) + kd * np.nan_to_num(rate) + np.nan_to_num(torque), -kp, -kd
        self.model.actuator_forcerange[j] = self.bounds(drive.torque_limit, self.data.qvel[self.dof[j]])

    def motor_change(self, j, command, angle, rate):
        """Change of a motor's rate over a step, implicit in that rate, and the torque it has on the way."""
        drive, h, m, w = self.robot.drive, self.step_size, self.motor[j], self.motor_rate[j]
        held = drive.spring * (m - angle)
        if self.cascade:
            voltage = self.modules[j].voltage(tuple(command[:, j]), (angle, rate, held))
            slope = drive.stall_torque / drive.top_speed
            constant = drive.stall_torque * voltage
        else:
            wanted_angle, wanted_rate, torque = command[:, j]
            kp = 0.0 if np.isnan(wanted_angle) else drive.stiffness
            slope = 0.0 if np.isnan(wanted_angle) and np.isnan(wanted_rate) else drive.damping
            constant = kp * np.nan_to_num(wanted_angle - m) + slope * np.nan_to_num(wanted_rate) + np.nan_to_num(torque)
            low, high = self.bounds(drive.torque_limit, w)
            if not low < constant - slope * w < high:
                limited = np.clip(constant - slope * w, low, high)
                fading = 0.0 < abs(limited) < drive.torque_limit
                slope = drive.torque_limit / (FADE * self.robot.speed_limit) if fading else 0.0
                constant = limited + slope * w
        # inertia (w' - w) / h = constant - slope w' - held - damper (w' - rate)
        push = drive.rotor_inertia * w / h + constant - held + drive.spring_damping * rate
        after = push / (drive.rotor_inertia / h + slope + drive.spring_damping)
        return after - w, constant - slope * after

    def step(self, command, wrenches):
        """One step under a command (angles, rates, torques) and wrenches (links, 6); everything is updated."""
        model, data, h = self.model, self.data, self.step_size
        before = data.qvel.copy()
        angles = data.qpos[self.places].copy()
        changes = [self.motor_change(j, command, angles[j], before[d]) if self.sprung else None
                   for j, d in enumerate(self.dof)]  # fmt: skip
        for j in range(self.dof.size):
            self.set_drive(j, command)
        for name, wrench in zip(self.robot.link_names, wrenches):
            data.xfrc_applied[model.body(name).id] = wrench
        if model.opt.solver == mujoco.mjtSolver.mjSOL_CG:
            still = np.abs(before).max() < NOSLIP_BELOW
            model.opt.noslip_iterations = self.world.contact.noslip_iterations if still else 0
        mujoco.mj_step(model, data)
        after = data.qvel
        gained, pushed, mean = np.zeros(model.nv), np.zeros(model.nv), 0.5 * (before + after)
        mujoco.mj_mulM(model, data, gained, after - before)
        for name, wrench in zip(self.robot.link_names, wrenches):
            body = model.body(name).id
            mujoco.mj_applyFT(model, data, wrench[:3], wrench[3:], data.xipos[body], body, pushed)
        rubbed = -model.dof_damping * after
        torque = gained / h + data.qfrc_bias - rubbed - data.qfrc_constraint - pushed
        self.account(torque, mean, rubbed, pushed, changes)
        return torque

    def account(self, torque, mean, rubbed, pushed, changes):
        """Add a step to the accounts."""
        h, on_joint, turning = self.step_size, torque[self.dof], mean[self.dof]
        work = h * on_joint * turning
        if self.sprung:
            damper = self.robot.drive.spring_damping
            for j, (change, given) in enumerate(changes):
                middle = self.motor_rate[j] + 0.5 * change
                work[j] = h * given * middle
                self.motor_rate[j] += change
                self.motor[j] += h * self.motor_rate[j]
                self.damping -= h * damper * (middle - turning[j]) ** 2
        self.impulse += h * on_joint
        self.square += h * on_joint**2
        self.work += work
        self.drive_work += work.sum()
        self.absolute += np.abs(work).sum()
        self.damping += h * rubbed @ mean
        self.contact += h * self.data.qfrc_constraint @ mean
        self.external += h * pushed @ mean
        telemetry = self.robot.telemetry
        if telemetry is not None:
            warm = telemetry.heating * self.data.actuator_force**2 - self.heat
            self.heat += h / telemetry.warming_time * warm
