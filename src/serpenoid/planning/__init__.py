"""Planning: a problem, a solve, a plan, and a receding-horizon controller."""

from serpenoid.control.base import Controller
from serpenoid.planning.believed import Believed
from serpenoid.planning.contact import ContactPlanner
from serpenoid.planning.costs import Cost, Goal, JointLimits, Obstacle, Path, Sum, Torque, Velocity
from serpenoid.planning.estimators import Estimator, InertialState, TrueState
from serpenoid.planning.problem import Limits, Problem
from serpenoid.planning.push_to import PushTo
from serpenoid.planning.receding import RecedingHorizon
from serpenoid.planning.sampling import SamplingPlanner
from serpenoid.planning.solver import Plan, solve

# Controllers that plan, by name.
PLANNERS: dict[str, type[Controller]] = {
    "contact_planner": ContactPlanner,
    "push_to": PushTo,
    "sampling_planner": SamplingPlanner,
}

__all__ = [
    "PLANNERS", "Believed", "ContactPlanner", "Cost", "Estimator", "Goal", "InertialState", "JointLimits", "Limits",
    "Obstacle", "Path", "Plan", "Problem", "PushTo", "RecedingHorizon", "SamplingPlanner", "Sum", "Torque",
    "TrueState", "Velocity", "solve",
]  # fmt: skip
