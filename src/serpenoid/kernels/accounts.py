"""The accounts of work [J] that stand at the end of every engine's state and are integrated with it.

Work done on the robot is positive. ABSOLUTE is what the drives cost, the integral of sum |torque x rate|, and no part
of the ledger: the energies change by the sum of the others.
"""

from __future__ import annotations

DRIVE, MEDIUM, DAMPING, EXTERNAL, ABSOLUTE = range(5)
ACCOUNTS = 5  # of every engine
WHEELS, GROUND, IMPACTS = range(5, 8)
PUSH_ACCOUNTS = 8  # of a push
CONTACT = 5
CONTACT_ACCOUNTS = 6  # of a world with contacts
