"""Commands that this package adds to `serpenoid`, by entry points of the group `serpenoid.commands`."""
