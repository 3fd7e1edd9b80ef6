"""Loops around a physics engine called by address: drives, steps, accounts and samples without the GIL."""
