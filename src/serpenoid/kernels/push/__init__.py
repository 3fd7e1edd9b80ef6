"""Planar chain that pushes an object."""
