"""Learning environments: any scenario as a Gymnasium environment, one or many at a time.

import gymnasium, serpenoid.learning
env = gymnasium.make("Serpenoid/Pegs-v0")
envs = gymnasium.make_vec("Serpenoid/Pegs-v0", num_envs=256)
"""

from __future__ import annotations

from typing import Any

from serpenoid.errors import Unsupported

try:
    import gymnasium
except ImportError:
    raise Unsupported("serpenoid.learning needs gymnasium: pip install 'serpenoid[learn]'") from None

from serpenoid.learning.environment import Environment, VectorEnvironment
from serpenoid.learning.spec import JointTargets, JointTorques, LearningTask, SetPoints, WaveFields
from serpenoid.learning.stepper import Stepper
from serpenoid.learning.tasks import TASKS, find_task

NAMESPACE, VERSION = "Serpenoid", "v0"
MEDIA = ("dry", "viscous", "fluid")  # of Slither


def make_one(task: str, **options: Any) -> Environment:
    """Return one environment of a registered task; `medium` selects that of Slither."""
    fields = {"medium": options.pop("medium")} if "medium" in options else {}
    return Environment(find_task(task, **fields), **options)


def make_many(task: str, num_envs: int = 1, **options: Any) -> VectorEnvironment:
    """Return many environments of a registered task as one vector environment."""
    fields = {"medium": options.pop("medium")} if "medium" in options else {}
    return VectorEnvironment(find_task(task, **fields), num_envs, **options)


def ids() -> dict[str, dict[str, str]]:
    """Return the registered IDs, each with the keywords of its task."""
    plain = {f"{NAMESPACE}/{name}-{VERSION}": {"task": name} for name in TASKS}
    return plain | {
        f"{NAMESPACE}/Slither{medium.capitalize()}-{VERSION}": {"task": "Slither", "medium": medium}
        for medium in MEDIA[1:]
    }  # fmt: skip


for name, keywords in ids().items():
    gymnasium.register(
        name, entry_point="serpenoid.learning:make_one", vector_entry_point="serpenoid.learning:make_many",
        kwargs=keywords,
    )  # fmt: skip

__all__ = [
    "TASKS", "Environment", "JointTargets", "JointTorques", "LearningTask", "SetPoints", "Stepper",
    "VectorEnvironment", "WaveFields", "find_task", "ids",
]  # fmt: skip
