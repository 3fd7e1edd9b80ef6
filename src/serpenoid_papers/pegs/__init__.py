"""Peg boards: the fast step beside closed forms, its slow twin and MuJoCo, and what decides how many snakes jam."""
