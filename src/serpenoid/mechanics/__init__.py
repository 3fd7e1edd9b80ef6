"""Mechanics without simulation: equilibria, linear models, orbits, pushes, identified parameters."""

from serpenoid.mechanics.best_push import best_push
from serpenoid.mechanics.constraint_maps import ConstraintMaps, constraint_maps
from serpenoid.mechanics.equilibrium import Equilibrium, equilibrium
from serpenoid.mechanics.floquet import Floquet, floquet, orbits
from serpenoid.mechanics.identification import Identified, Recording, identify
from serpenoid.mechanics.linear import LinearModel, linearise
from serpenoid.mechanics.slippage import PushResponse, PushSurvey, input_torques, push_survey, pushing
from serpenoid.worlds.gaze import gaze_shape

__all__ = [
    "ConstraintMaps", "Equilibrium", "Floquet", "Identified", "LinearModel", "PushResponse", "PushSurvey", "Recording",
    "best_push", "constraint_maps",
    "equilibrium", "floquet", "gaze_shape", "identify", "input_torques", "linearise", "orbits", "push_survey",
    "pushing",
]  # fmt: skip
