"""Ours side by side with the peers, a module per topic; rows of `serpenoid bench`."""
