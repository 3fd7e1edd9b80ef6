"""Loops round a physics engine that is called by its address: drives, steps, books and samples without the GIL."""
