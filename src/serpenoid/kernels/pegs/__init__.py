"""Planar chain among pegs and walls, on a floor with dry friction."""
