"""Benches of simulated motors: what emulators of different manufacturers share."""

from motor_bench.bench import Bench
from motor_bench.clock import SimulatedClock
from motor_bench.server import Server

__all__ = ["Bench", "Server", "SimulatedClock"]
