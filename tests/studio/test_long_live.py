"""An hour of live running does not grow in memory: five minutes of the clock at ten times its speed."""

from time import sleep

import psutil
import pytest
from studio_tools import open_studio, until

MINUTES, SPEED = 5, 10.0


@pytest.mark.full
def test_a_long_live_run_does_not_grow(tmp_path):
    with open_studio(tmp_path) as studio:
        studio.drive.speed.value = SPEED
        studio.post(studio.runs.start_live)
        assert until(lambda: studio.live is not None and studio.live.latest is not None)
        assert until(lambda: studio.live.latest.time > 90.0, 120.0)  # the ring of samples is full after 60 s
        process, start = psutil.Process(), studio.live.latest.time
        sizes = []
        for _ in range(MINUTES * 6):
            sleep(10.0)
            sizes.append(process.memory_info().rss / 2**20)
        passed = studio.live.latest.time - start
        print(f"{passed:.0f} s of the run in {60 * MINUTES} s; memory {min(sizes):.0f} to {max(sizes):.0f} MB")
        assert passed > 0.9 * SPEED * 60 * MINUTES  # or else it was no such test: the machine is too busy
        assert studio.live.running and len(studio.live.stream.plant.log) <= 6000
        assert max(sizes[-6:]) < max(sizes[:6]) + 20.0  # [MB]
