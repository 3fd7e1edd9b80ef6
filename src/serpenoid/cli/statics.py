"""`serpenoid statics`: forces, accelerations and slippage ratio of a push from rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from serpenoid.cli import arguments
from serpenoid.cli.compile_progress import announced
from serpenoid.cli.printing import number, say, table
from serpenoid.configuration import between, check_fields, usual
from serpenoid.errors import SerpenoidError
from serpenoid.mechanics import PushResponse, PushSurvey, best_push, push_survey, pushing
from serpenoid.robots import PlanarSnake
from serpenoid.scenarios.push import Push
from serpenoid.worlds.pushing import Contact, PushedObject, Support, Wheels

TITLE = (
    "serpenoid statics [--shape -1.2 -1 --torque 0.06 0.03 ...]: forces, accelerations and slippage of a push from rest"
)
Place = tuple[int, float, Literal["left", "right"]]
MAXIMA = ("object_norm", "robot_norm", "force_norm", "ratio")


@dataclass(frozen=True)
class Options:
    """Robot, object and constraints of a push."""

    robot: PlanarSnake = Push.robot
    """snake; the default is that of the paper on pushing"""
    object: PushedObject = PushedObject()
    """pushed object"""
    wheels: Wheels = Wheels("ideal")
    """the robot's wheels"""
    contact: Contact = Contact()
    """contact with the object"""
    contacts: tuple[Place, ...] = ()
    """further contacts with the object, each as LINK,POINT,SIDE, such as 2,0,left; POINT as of contact.point"""
    walls: tuple[Place, ...] = ()
    """contacts with fixed walls, each as LINK,POINT,SIDE"""
    base: Annotated[int | None, between(0, 500, usual=(0, 10))] = None
    """link that is fixed to the ground, like the base of an arm; none: the robot is free"""
    shape: Annotated[tuple[float, ...], usual(-2.0, 2.0)] = (-1.2, -1.0)
    """joint angles [rad]"""
    torque: Annotated[tuple[float, ...] | None, usual(-10.0, 10.0)] = None
    """joint torques [N m]; none: the best ones of the input region for the goal"""
    goal: Literal["push", "move"] = "push"
    """goal of the best torques; push: the largest slippage ratio; move: the least"""
    wrench: Annotated[tuple[float, float, float], usual(-10.0, 10.0)] = (0.0, 0.0, 0.0)
    """external force on the object [N] and moment about its centre [N m]"""
    maxima: bool = False
    """also print the largest norms and ratio over the input region, without the external force"""

    def __post_init__(self) -> None:
        check_fields(self)

    def support(self) -> Support:
        """Return the further constraints."""
        return Support(
            tuple(Contact(*place) for place in self.contacts), tuple(Contact(*place) for place in self.walls), self.base
        )


def main(words: list[str]) -> int:
    """Print the response to one torque, and the maxima if requested."""
    given = arguments.read(words)
    if given.help:
        say(arguments.help_text(TITLE, Options()))
        return 0
    if given.positionals:
        raise SerpenoidError(f"statics takes options only, not {' '.join(given.positionals)}")
    options = arguments.applied(Options(), given.flags)
    with announced():
        found, maxima = response_of(options), maxima_of(options) if options.maxima else None
    show(found)
    if maxima is not None:
        show_maxima(maxima)
    return 0


def response_of(options: Options) -> PushResponse:
    """Return the response to the given or best torques."""
    where = options.robot, options.shape, options.object
    how: dict[str, Any] = {
        "wheels": options.wheels, "contact": options.contact, "support": options.support(), "wrench": options.wrench,
    }  # fmt: skip
    if options.torque is None:
        return best_push(*where, goal=options.goal, **how)
    return pushing(*where, options.torque, **how)


def maxima_of(options: Options) -> PushSurvey:
    """Return the largest norms and ratio of the shape."""
    return push_survey(
        options.robot, [options.shape], options.object, wheels=options.wheels, contact=options.contact,
        support=options.support(),
    )  # fmt: skip


def show(found: PushResponse) -> None:
    """Print forces, accelerations and measures."""
    rows = [
        [name, float(force), "at its limit" if slips else "open" if force == 0.0 and "wheel" not in name else "holds"]
        for name, force, slips in zip(found.rows, found.force, found.slips)
    ]
    say(table(rows, ["constraint", "force [N]", "state"]), "")
    say(f"joint torques: {listed(found.torque)} N m")
    body = found.object_acceleration
    say(f"object: {listed(body[:2])} m/s^2, {number(float(body[2]), digits=4)} rad/s^2")
    say(f"robot: centre of mass {listed(found.acceleration[:2])} m/s^2, heading and joints "
        f"{listed(found.acceleration[2:])} rad/s^2")  # fmt: skip
    norms = {"|a_obj|^2": found.object_norm, "|qdd|^2": found.robot_norm, "|lambda|^2": found.force_norm}
    say(", ".join(f"{name} {number(float(value), digits=4)}" for name, value in norms.items()) + " N^2/kg")
    say(f"slippage ratio: {number(float(found.ratio), digits=4)}")
    if found.redundant:
        say(f"redundant: {', '.join(found.redundant)}")


def show_maxima(found: PushSurvey) -> None:
    """Print the largest values over the input region, with their torques."""
    rows = [
        [name.replace("_", " "), float(getattr(found, name)[0]), listed(found.torque[0, k])]
        for k, name in enumerate(MAXIMA)
    ]
    kind = "exact" if found.exact else f"sampled at {found.samples} torques"
    say("", f"largest over the input region ({kind}):", table(rows, ["measure", "value", "joint torques [N m]"]))


def listed(values: np.ndarray) -> str:
    """Format numbers as a list."""
    return ", ".join(number(float(value), digits=4) for value in values)
