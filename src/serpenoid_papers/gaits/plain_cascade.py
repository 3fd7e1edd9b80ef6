"""PID loops and strategies of a module in plain Python, one object per loop, as in the thesis."""

from __future__ import annotations

from math import copysign, isnan, nan

from serpenoid.robots.cascade import Cascade, Gains


def within(value: float, low: float, high: float) -> float:
    """Clamp a value between two bounds."""
    if value < low:
        return low
    if value > high:
        return high
    return value


class NaiveLoop:
    """One PID loop with its memory."""

    def __init__(self, gains: Gains, step: float):
        self.gains, self.step = gains, step
        self.forget()

    def forget(self) -> None:
        """Reset the loop to its state before the first target."""
        self.begun = False
        self.target = self.watched = self.given = self.integral = 0.0

    def output(self, target: float, feedback: float) -> float:
        """Return the output of the loop for a target; a NaN target switches it off."""
        if isnan(target):
            self.forget()
            return 0.0
        g, first = self.gains, not self.begun
        asked = within(target, g.min_target, g.max_target)
        self.begun = True
        self.target = asked if first else (1.0 - g.target_lowpass) * self.target + g.target_lowpass * asked
        error = self.target - feedback
        error = 0.0 if -g.dead_zone <= error <= g.dead_zone else error
        watched = error if g.d_on_error else -feedback
        slope = 0.0 if first else (watched - self.watched) / self.step
        self.watched = watched
        self.integral = within(self.integral + g.ki * error * self.step, -g.i_clamp, g.i_clamp)
        total = g.kp * error + self.integral + g.kd * slope + g.feed_forward * self.target
        total += copysign(g.punch, error) if error else 0.0
        total = within(total, g.min_output, g.max_output)
        self.given = total if first else (1.0 - g.output_lowpass) * self.given + g.output_lowpass * total
        return self.given


class NaiveModule:
    """The three loops of a joint, combined by one of the four strategies."""

    def __init__(self, drive: Cascade, step: float):
        self.drive = drive
        self.position, self.velocity, self.effort = (
            NaiveLoop(gains, step) for gains in (drive.position, drive.velocity, drive.effort)
        )

    def voltage(self, command: tuple[float, ...], feedback: tuple[float, ...]) -> float:
        """Return the PWM for commanded and measured angle, rate and torque."""
        strategies = {1: self.direct, 2: self.inner_torque, 3: self.outer_torque, 4: self.middle_torque}
        return within(strategies[self.drive.strategy](command, feedback), -1.0, 1.0)

    def direct(self, command: tuple[float, ...], feedback: tuple[float, ...]) -> float:
        """Apply strategy 1: the torque command alone, no feedback."""
        return 0.0 if isnan(command[2]) else command[2] / self.drive.stall_torque

    def inner_torque(self, command: tuple[float, ...], feedback: tuple[float, ...]) -> float:
        """Apply strategy 2: angle and rate loops command a torque."""
        outputs = [self.position.output(command[0], feedback[0]), self.velocity.output(command[1], feedback[1])]
        return self.effort.output(sum_parts(command, (command[2], *outputs)), feedback[2])

    def outer_torque(self, command: tuple[float, ...], feedback: tuple[float, ...]) -> float:
        """Apply strategy 3: all three loops in parallel."""
        loops = (self.position, self.velocity, self.effort)
        return sum(loop.output(*pair) for loop, *pair in zip(loops, command, feedback))

    def middle_torque(self, command: tuple[float, ...], feedback: tuple[float, ...]) -> float:
        """Apply strategy 4: the angle loop commands a torque, the rate loop acts in parallel."""
        turned = self.position.output(command[0], feedback[0])
        sped = self.velocity.output(command[1], feedback[1])
        asked = sum_parts((command[0], nan, command[2]), (command[2], turned, 0.0))
        return sped + self.effort.output(asked, feedback[2])


def sum_parts(commands: tuple[float, ...], parts: tuple[float, ...]) -> float:
    """Sum the available parts of a torque; return NaN if nothing is commanded."""
    if all(isnan(command) for command in commands):
        return nan
    return sum(part for part in parts if not isnan(part))
