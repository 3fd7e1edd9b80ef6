"""The accounts that stand at the end of every engine's state and are integrated with it.

Accounts of work [J]: work done on the robot is positive. ABSOLUTE is what the drives cost, the integral of
sum |torque x rate|. It is not part of the ledger: the energies change by the sum of the others.

Before them stand PER_JOINT numbers of every joint: the integral of its drive's torque [N m s], that of the squared
torque [N^2 m^2 s] and the work of its drive [J], each for all joints. Their differences give means over any interval,
which samples of a torque that jumps at every tick do not.
"""

from __future__ import annotations

DRIVE, MEDIUM, DAMPING, EXTERNAL, ABSOLUTE = range(5)
ACCOUNTS = 5  # of every engine
WHEELS, GROUND, IMPACTS = range(5, 8)
PUSH_ACCOUNTS = 8  # of a push
CONTACT = 5
CONTACT_ACCOUNTS = 6  # of a world with contacts
PER_JOINT = 3  # integrals of torque and of squared torque, and work
