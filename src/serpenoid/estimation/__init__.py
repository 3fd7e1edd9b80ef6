"""Where estimators of pose and heading will live: their layer is fixed, and nothing is in it yet."""
