"""Accounts at the end of every engine's state, integrated together with it.

Accounts of work [J]: work done on the robot is positive. ABSOLUTE is the effort of the drives, the integral of sum
|torque x rate|. It is not part of the energy balance: the change of energy equals the sum of the other accounts.

PER_JOINT integrals precede the accounts of work, each over all joints:

- drive torque [N m s]
- squared torque [N^2 m^2 s]
- work of the drive [J]

Their differences give exact means over any interval. Samples of a torque that jumps at every tick do not.
"""

from __future__ import annotations

DRIVE, MEDIUM, DAMPING, EXTERNAL, ABSOLUTE = range(5)
ACCOUNTS = 5  # number of accounts of every engine
WHEELS, GROUND, IMPACTS = range(5, 8)
PUSH_ACCOUNTS = 8  # number of accounts of a pushing robot
CONTACT = 5
CONTACT_ACCOUNTS = 6  # number of accounts of a world with contacts
PER_JOINT = 3  # integrals of torque and squared torque, and work
