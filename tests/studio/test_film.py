"""Films and images without a browser: the rendered robot is at the recorded pose."""

import mujoco  # noqa: F401  first, because an engine may have imported it for another purpose
import numpy as np
import pytest
from PIL import Image
from runs import made_run

from serpenoid.cli import main
from serpenoid.errors import FileProblem, Unsupported
from serpenoid.robots import Natrix, PlanarSnake
from serpenoid.robots.rotations import rotations
from serpenoid.studio import film, render, scene_of
from serpenoid.studio.scene import FIELD_OF_VIEW, HEAD
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import Disc, Floor, Plane, Pole, Slope, WaterSurface

SIZE = (240, 160)
RUN = made_run(PlanarSnake(links=4), Plane(obstacles=(Disc((-0.3, 0.4), 0.08),)), duration=0.4)


def red(picture):
    """Return the pixels (pixels, 2) with the colour of the head."""
    hues = picture.astype(int)
    return np.argwhere((hues[..., 0] > 90) & (hues[..., 0] > 2 * hues[..., 1]) & (hues[..., 0] > 2 * hues[..., 2]))


def view_of(scene):
    """Skip without EGL; otherwise return MuJoCo's renderer."""
    try:
        return film.view_of(scene, SIZE)
    except Unsupported as error:
        pytest.skip(str(error))


def seen_from(camera, point):
    """Return (row, column) of a point seen by a pinhole camera."""
    forward = (camera.target - camera.position) / np.linalg.norm(camera.target - camera.position)
    right = np.cross(forward, (0.0, 0.0, 1.0)) / np.linalg.norm(np.cross(forward, (0.0, 0.0, 1.0)))
    axes = np.array([right, np.cross(right, forward), forward])
    across, up, depth = axes @ (point - camera.position)
    scale = 0.5 * SIZE[1] / np.tan(0.5 * FIELD_OF_VIEW) / depth
    return 0.5 * SIZE[1] - scale * up, 0.5 * SIZE[0] + scale * across


def test_the_head_is_drawn_where_the_run_has_it():
    scene = scene_of(RUN)
    middle = scene.positions[5, 0] + 0.5 * (scene.positions[5, 1] - scene.positions[5, 0])
    found = red(view_of(scene)(5, scene.camera))
    assert len(found) > 20
    assert found.mean(axis=0) == pytest.approx(seen_from(scene.camera, middle), abs=4.0)


def test_a_tall_pole_hides_what_is_behind_it():
    run = made_run(PlanarSnake(links=4), Pole(), duration=0.1)
    scene = scene_of(run)
    behind = scene.camera._replace(position=np.array([-0.4, -0.5, 0.3]), target=np.array([0.2, 0.1, 0.0]))
    picture = view_of(scene)(0, behind).astype(int)
    grey = (np.ptp(picture, axis=-1) < 25) & (picture.max(axis=-1) < 140)  # the pole
    blue = picture[..., 2] > 2 * picture[..., 0]  # links
    assert grey.sum() > 2000 and blue.sum() > 100


def test_the_camera_follows(tmp_path):
    scene = scene_of(RUN)
    near, far = film.camera_at(scene, 0, True), film.camera_at(scene, 10, True)
    assert far.target[0] < near.target[0] - 0.02  # the run glides to -x
    assert far.position - far.target == pytest.approx(near.position - near.target)
    assert film.camera_at(scene, 10, False) is scene.camera


def test_without_an_encoder_a_film_is_refused_before_it_is_drawn(tmp_path, monkeypatch):
    monkeypatch.setattr(film, "find_spec", lambda name: None)
    with pytest.raises(FileProblem, match="serpenoid.film"):
        film.render(RUN, tmp_path / "film.mp4")


@pytest.mark.parametrize("kind", ["gif", "mp4", "png"])
def test_files_hold_their_frames(tmp_path, kind, capsys):
    view_of(scene_of(RUN))
    RUN.save(tmp_path / "run.zarr")
    out = tmp_path / "new" / f"film.{kind}"
    words = ["render", str(tmp_path / "run.zarr"), str(out), "--width", "240", "--height", "160", "--rate", "10"]
    assert main(words) == 0
    assert "written" in capsys.readouterr().out
    if kind == "mp4":
        import imageio_ffmpeg

        assert imageio_ffmpeg.count_frames_and_secs(str(out))[0] == 5
        return
    with Image.open(out) as picture:
        assert picture.size == SIZE and getattr(picture, "n_frames", 1) == (5 if kind == "gif" else 1)
        assert len(red(np.asarray(picture.convert("RGB")))) > 20
        assert tuple(np.asarray(picture.convert("RGB"))[0, 0]) != HEAD


def test_water_is_seen_through(tmp_path):
    run = made_run(Natrix(), WaterSurface(), duration=0.1)
    scene = scene_of(run)
    assert len(red(view_of(scene)(0, scene.camera))) > 5
    assert render(run, tmp_path / "a.png", SIZE).is_file()


def test_without_graphics_a_film_is_refused_in_one_line(tmp_path, monkeypatch, capsys):
    def fails(scene, size, samples):
        raise RuntimeError("no EGL here\nand more")

    monkeypatch.setattr(film, "mujoco_view", fails)
    with pytest.raises(Unsupported):
        render(RUN, tmp_path / "a.png", SIZE)
    RUN.save(tmp_path / "run.zarr")
    assert main(["render", str(tmp_path / "run.zarr"), str(tmp_path / "a.png")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1 and not (tmp_path / "a.png").exists()


def test_what_stands_still_for_longer_than_a_gif_can_tell_is_one_line(tmp_path):
    still = [np.zeros((8, 8, 3), np.uint8)] * 3
    with pytest.raises(FileProblem, match="655.35 s"):
        film.write_film(tmp_path / "a.gif", iter(still), 0.004)


def test_bad_words_are_one_line(tmp_path, capsys):
    RUN.save(tmp_path / "run.zarr")
    Trajectory(1e4 * RUN.times, RUN.variables, RUN.labels, RUN.attributes).save(tmp_path / "long.zarr")
    source, long = (str(tmp_path / name) for name in ("run.zarr", "long.zarr"))
    for words, part in (
        ([source, str(tmp_path / "a.avi")], ".gif"), ([source], "a saved run"),
        ([source, "a.png", "--width", "0"], "width"),
        ([source, str(tmp_path / "a.gif"), "--rate", "0.001"], "rate = 0.001: must be from 0.01 to 120"),
        ([long, str(tmp_path / "a.gif")], "--rate 10: 40001 frames, at most 20000; try --rate 4.9"),
        ([str(tmp_path / "none.zarr"), str(tmp_path / "a.gif")], "no such"),
    ):  # fmt: skip
        assert main(["render", *words]) == 2
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 1 and part in lines[0]


def test_the_path_is_drawn_up_to_the_moment():
    scene = scene_of(RUN)
    assert len(scene.track_until(-1.0)) == 0 and len(scene.track_until(0.2)) == 21
    assert scene.track_until(0.4)[-1] == pytest.approx(RUN["center_of_mass"][-1])


def test_the_path_of_a_climb_is_that_of_the_head():
    """Check that the path of a climbing robot is that of the head; the centre of mass lies inside the pole."""
    run = made_run(PlanarSnake(links=4), Pole(), duration=0.1)
    assert scene_of(run).track[-1] == pytest.approx(run["center_of_mass"][-1])
    run["center_of_mass"][-1, 2] += 1.0
    scene = scene_of(run)
    assert scene.climbs and scene.track[-1] == pytest.approx(run["link_pose"][-1, 0, :3])


def test_a_gif_keeps_the_colour_and_the_lines_of_a_floor():
    floor = np.full((120, 160, 3), (200, 200, 198), np.uint8)
    floor[::10] = (180, 180, 178)
    floor[40:60, 20:140] = np.linspace((0, 40, 50), (24, 128, 138), 120).astype(np.uint8)
    floor[45:52, 60:70] = (176, 32, 48)
    frames = [Image.fromarray(floor)] * 3
    reduced = frames[0].quantize(palette=film.palette_of(frames), dither=Image.Dither.NONE).convert("RGB")
    seen = np.asarray(reduced).astype(int)
    for row, column in ((5, 5), (10, 5), (48, 65)):
        assert np.abs(seen[row, column] - floor[row, column]).max() <= 8


def test_shadows_lie_on_the_floor_along_the_light():
    from serpenoid.studio.scene import LIGHT, shadow_of

    for world in (Floor(), Slope(angle=0.3)):
        floor = scene_of(made_run(PlanarSnake(links=4), world, duration=0.1)).floor
        flat, normal = shadow_of(floor), rotations(floor.turn)[:, 2]
        point = floor.center + 0.4 * normal + (0.1, 0.2, 0.0)
        shade = flat[:, :3] @ point + flat[:, 3]
        assert normal @ (shade - floor.center) == pytest.approx(0.0, abs=0.02 * floor.cell)
        way = (point - shade) / np.linalg.norm(point - shade)
        assert way @ LIGHT == pytest.approx(1.0, abs=1e-3)
    assert shadow_of(scene_of(made_run(Natrix(), WaterSurface(), duration=0.1)).floor) is None


def test_a_slope_is_a_ramp_with_its_angle_in_the_title():
    scene = scene_of(made_run(PlanarSnake(links=4), Slope(angle=0.25), duration=0.1))
    assert not scene.floor.endless and "Slope (14.3 deg)" in scene.title
    (ramp,) = [thing for thing in scene.things if thing.name == "slope/0"]
    assert np.ptp(ramp.mesh.vertices[:4, 2]) == pytest.approx(scene.floor.size[0] * np.sin(0.25), rel=1e-6)
    assert scene_of(made_run(PlanarSnake(links=4), Floor(), duration=0.1)).floor.endless


def test_captions_fit_the_picture_and_change_nothing_else():
    plain = np.full((160, 240, 3), 200, np.uint8)
    marked = film.add_caption(plain, "a title that is far too long for a picture as small as this one", 12.3)
    assert (marked != plain).any() and (marked[40:] == plain[40:]).all()
