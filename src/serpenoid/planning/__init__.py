"""Planning: a problem, a solve, a plan, and a receding-horizon controller."""

from serpenoid.planning.believed import Believed
from serpenoid.planning.costs import Cost, Goal, JointLimits, Obstacle, Path, Sum, Torque, Velocity
from serpenoid.planning.estimators import Estimator, InertialState, TrueState
from serpenoid.planning.problem import Limits, Problem
from serpenoid.planning.receding import RecedingHorizon
from serpenoid.planning.solver import Plan, solve

__all__ = [
    "Believed", "Cost", "Estimator", "Goal", "InertialState", "JointLimits", "Limits", "Obstacle", "Path", "Plan",
    "Problem", "RecedingHorizon", "Sum", "Torque", "TrueState", "Velocity", "solve",
]  # fmt: skip
