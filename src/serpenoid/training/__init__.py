"""Training of policies without torch: random search and CMA-ES over compiled laws, resumed after a crash."""

from serpenoid.training.task import Search, Task, make_task
from serpenoid.training.tasks import TASKS, make_known_task
from serpenoid.training.train import Progress, Trained, train, trained

__all__ = ["TASKS", "Progress", "Search", "Task", "Trained", "make_known_task", "make_task", "train", "trained"]
