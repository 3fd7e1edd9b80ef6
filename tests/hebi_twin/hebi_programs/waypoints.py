"""From where the joints are through waypoints by a smooth trajectory, logged; then the log is read again."""

import tempfile
from time import monotonic

import hebi
import numpy as np

lookup = hebi.Lookup()
group = lookup.get_group_from_names("SEA Snake", ["SA002", "SA003", "SA007", "SA011"])
if group is None:
    raise SystemExit("no such modules")

folder = tempfile.mkdtemp()
group.start_log(folder, "waypoints", mkdirs=True)
feedback = group.get_next_feedback()
points = np.array([feedback.position, np.full(group.size, 0.15), np.zeros(group.size)]).T
trajectory = hebi.trajectory.create_trajectory([0.0, 0.4, 0.8], points)

command = hebi.GroupCommand(group.size)
start = monotonic()
t = 0.0
while t < trajectory.duration:
    group.get_next_feedback(reuse_fbk=feedback)
    t = monotonic() - start
    command.position, command.velocity, _ = trajectory.get_state(min(t, trajectory.duration))
    group.send_command(command)
group.log_user_state(v1=1.0)

log = hebi.util.load_log(group.stop_log().filename)
rows = [row.position for row in log.feedback_iterate]
assert len(log) > 10 and np.max(rows) > 0.05, len(log)
