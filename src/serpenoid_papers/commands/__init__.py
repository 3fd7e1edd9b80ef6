"""Commands of this package in `serpenoid`, by entry points of the group `serpenoid.commands`."""
