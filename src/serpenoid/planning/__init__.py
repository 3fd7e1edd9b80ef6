"""Planning: a problem, a solve, a plan, and a receding-horizon controller."""

from serpenoid.control.base import Controller
from serpenoid.planning.believed import Believed
from serpenoid.planning.contact import ContactPlanner
from serpenoid.planning.costs import Cost, Goal, JointLimits, Obstacle, Path, Sum, Torque, Velocity
from serpenoid.planning.estimators import Estimator, InertialState, TrueState
from serpenoid.planning.problem import Limits, Problem
from serpenoid.planning.receding import RecedingHorizon
from serpenoid.planning.sampling import SamplingPlanner
from serpenoid.planning.solver import Plan, solve

PLANNERS: dict[str, type[Controller]] = {  # controllers that plan, by name
    "sampling_planner": SamplingPlanner,
    "contact_planner": ContactPlanner,
}

__all__ = [
    "PLANNERS", "Believed", "ContactPlanner", "Cost", "Estimator", "Goal", "InertialState", "JointLimits", "Limits",
    "Obstacle", "Path", "Plan", "Problem", "RecedingHorizon", "SamplingPlanner", "Sum", "Torque", "TrueState",
    "Velocity", "solve",
]  # fmt: skip
