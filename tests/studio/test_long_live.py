"""Memory of an hour of live running does not grow: five minutes of wall-clock time at ten times the speed."""

from time import sleep

import psutil
import pytest
from studio_tools import open_studio, until

MINUTES, SPEED = 5, 10.0
FILLED = 90.0  # run time after which the ring buffer of the last 60 s is full [s]
LOOKS = 30  # memory measurements
PATIENCE = 5  # multiple of the time on an idle machine


@pytest.mark.full
def test_a_long_live_run_does_not_grow(tmp_path):
    with open_studio(tmp_path) as studio:
        studio.playback.speed.value = SPEED
        studio.post(studio.runs.start_live)
        assert until(lambda: studio.live is not None and studio.live.latest is not None)
        process, sizes = psutil.Process(), []
        for look in range(LOOKS + 1):
            due = FILLED + look * SPEED * 60 * MINUTES / LOOKS
            while studio.live.latest.time < due and studio.frame < PATIENCE * 30 * (due / SPEED + 60):
                sleep(0.2)
            assert studio.live.latest.time >= due, "the machine is too busy for this test"
            sizes.append(process.memory_info().rss / 2**20)
        print(f"{studio.live.latest.time:.0f} s of the run; memory {min(sizes):.0f} to {max(sizes):.0f} MB")
        assert studio.live.running and len(studio.live.stream.plant.log) <= 6000
        assert max(sizes[-6:]) < max(sizes[:6]) + 20.0  # [MB]
