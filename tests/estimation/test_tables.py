"""The one reader of tables: every column of the format, names in any order, and broken files in one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from serpenoid.errors import FileProblem
from serpenoid.estimation import Readings, read_csv


def read(folder: Path, text: str, joints: tuple[str, ...] | None = ("a", "b")) -> Readings:
    (folder / "log.csv").write_text(text)
    return read_csv(folder / "log.csv", joints)


def test_the_columns_of_published_runs(tmp_path: Path) -> None:
    """Numbered joints, torques, the path, and what else stands there."""
    header = "time_s,angle0_rad,angle1_rad,torque0_Nm,torque1_Nm,shape_force0,x_m,y_m,z_m,remark"
    found = read(tmp_path, f"{header}\n1,0.1,0.2,3,4,9,1,2,3,slow\n1.5,0.3,0.4,5,6,8,1,2,4,fast\n")
    np.testing.assert_array_equal(found.time, [1.0, 1.5])
    np.testing.assert_array_equal(found.position, [[0.1, 0.2], [0.3, 0.4]])
    np.testing.assert_array_equal(found.torque, [[3, 4], [5, 6]])
    np.testing.assert_array_equal(found.path, [[1, 2, 3], [1, 2, 4]])
    assert found.velocity is None and found.accelerometer is None
    assert found.others is not None and list(found.others) == ["shape_force0"]


def test_what_only_some_robots_sense_is_found_where_every_joint_has_it(tmp_path: Path) -> None:
    header = "time_s,b_rad,a_rad,a_motor_rad,b_motor_rad,b_degC,a_degC,battery_V,a_command_rad,b_command_rad"
    found = read(tmp_path, f"{header}\n0,1,2,3,4,5,6,7,8,9\n1,1,2,3,4,5,6,7,8,9\n")
    assert found.sensed is not None and set(found.sensed) == {"motor_position", "temperature"}
    np.testing.assert_array_equal(found.position[0], [2, 1])
    np.testing.assert_array_equal(found.sensed["motor_position"][0], [3, 4])
    np.testing.assert_array_equal(found.sensed["temperature"][0], [6, 5])
    assert found.others is not None and set(found.others) == {"battery_V", "a_command_rad", "b_command_rad"}


@pytest.mark.parametrize(
    ("header", "order"),
    [
        ("time_s,b_deg,a_deg", [1, 0]),  # by the joints' own names
        ("time_s,q10_deg,q9_deg,q8_deg,q7_deg,q6_deg,q5_deg,q4_deg,q3_deg,q2_deg,q1_deg", range(9, -1, -1)),
        (f"time_s,q{'9' * 5000}_deg,q1_deg", [0, 1]),  # a name, not a number
        ("time_s,SA042_deg,SA007_deg", [0, 1]),  # modules stand as the joints do
        ("time_s,joint_b_deg,b_command_rad,joint_a_deg,b_motor_rad", [0, 2]),
    ],
)
def test_joints_come_in_their_order(header: str, order: list[int], tmp_path: Path) -> None:
    count = header.count(",")
    row = ",".join(str(10 * k) for k in range(count))
    joints = ("a", "b") if len(order) == 2 else tuple(f"j{k}" for k in range(10))
    found = read(tmp_path, f"{header}\n0,{row}\n1,{row}\n", joints)
    np.testing.assert_allclose(np.degrees(found.position[0]), [10.0 * k for k in order])


def test_all_sensors_come_back(tmp_path: Path) -> None:
    """Velocities and the IMUs of links; an empty cell is not known."""
    links = ",".join(f"{kind}{k}_{axis}" for kind in ("accel", "gyro") for k in range(2) for axis in "xyz")
    numbers = ",".join(str(k) for k in range(12))
    found = read(tmp_path, f"time_s,a_rad,b_rad,a_rad_s,b_rad_s,{links}\n0,1,2,3,,{numbers}\n1,1,2,3,4,{numbers}\n")
    np.testing.assert_array_equal(found.velocity, [[3, np.nan], [3, 4]])
    np.testing.assert_array_equal(found.gyroscope[0], [[6, 7, 8], [9, 10, 11]])


BAD = {
    "row 3 is incomplete": "time_s,a_rad,b_rad\n0,1,2\n0.1,1",
    "does not increase in row 4: 0.1 after 0.2": "time_s,a_rad,b_rad\n0,1,2\n0.2,1,2\n0.1,1,2\n",
    "does not increase in row 3": "time_s,a_rad,b_rad\n1,1,2\n1,1,2\n",
    "must start at 0": "time_s,a_rad,b_rad\n-1,1,2\n1,1,2\n",
    "time_s is not finite in row 3": "time_s,a_rad,b_rad\n0,1,2\n,1,2\n",
    "row 3 contains 'x' as a_rad": "time_s,a_rad,b_rad\n0,1,2\n1,x,2\n",
    "row 3 contains '1_0' as a_rad": "time_s,a_rad,b_rad\n0,1,2\n1,1_0,2\n",
    "must have a column time_s": "a_rad,b_rad\n1,2\n1,2\n",
    "the column b_rad twice": "time_s,b_rad,b_rad\n1,2,2\n1,2,2\n",
    "angle twice": "time_s,b_rad,b_deg\n1,2,2\n2,2,2\n",
    "fewer than two samples": "time_s,a_rad,b_rad\n0,1,2\n",
    "angles of 1 joints; the robot has 2": "time_s,a_rad\n0,1\n1,2\n",
    "different numbers of joints": "time_s,a_rad,b_rad,b_Nm\n0,1,1,1\n1,2,2,2\n",
}


@pytest.mark.parametrize("words", BAD)
def test_broken_tables_are_refused_in_one_line(words: str, tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match=words) as error:
        read(tmp_path, BAD[words])
    assert "\n" not in str(error.value)


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="no such file"):
        read_csv(tmp_path / "none.csv")
    with pytest.raises(FileProblem, match="is a folder"):
        read_csv(tmp_path)
