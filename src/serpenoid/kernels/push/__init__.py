"""A planar chain that pushes an object."""
