"""Pose estimation of a snake from its inertial sensors and joint angles."""
