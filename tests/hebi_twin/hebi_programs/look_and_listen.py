"""List the modules on the network and read their feedback for a moment."""

from time import sleep

import hebi

lookup = hebi.Lookup()
sleep(0.3)
for entry in lookup.entrylist:
    print(f"{entry.family} | {entry.name} | {entry.mac_address} | {entry.ip_address}")

group = lookup.get_group_from_names(["SEA Snake"], ["SA003", "SA002"])
if group is None:
    raise SystemExit("no such modules")
group.feedback_frequency = 50.0

heard = []
group.add_feedback_handler(lambda feedback: heard.append(feedback.position.copy()))
feedback = hebi.GroupFeedback(group.size)
for _ in range(10):
    if group.get_next_feedback(reuse_fbk=feedback) is None:
        raise SystemExit("no feedback")
    print(feedback.position, feedback[0].voltage, feedback[1].board_temperature, feedback.gyro[0])
group.clear_feedback_handlers()
assert len(heard) >= 9
