"""Commands that take their time to reach the robot."""

from __future__ import annotations

from dataclasses import dataclass, field

from serpenoid.control.base import Command, Controller, Observation
from serpenoid.errors import whole_number


@dataclass(frozen=True)
class Delayed(Controller):
    """Holds every command of a controller back for some ticks; until the first one arrives nothing is commanded."""

    controller: Controller
    """whose commands are held back"""
    ticks: int = 1
    """how many control periods"""
    waiting: list[Command] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        whole_number("ticks", self.ticks, least=1, most=100)

    def reset(self) -> None:
        self.controller.reset()
        self.waiting.clear()

    def command(self, observation: Observation) -> Command:
        self.waiting.append(self.controller.command(observation))
        if len(self.waiting) > self.ticks:
            return self.waiting.pop(0)
        return Command.empty(observation.joint_position.size)
