"""Files that a stranger might send: each kind once as it should be, with hand-made traps, and with random damage.

Traps are harmless. Code that ran would make the folder MARKER beside them; SECRET is a file that none may read.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import random
import shutil
import sqlite3
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from google_crc32c import value as crc32c
from numcodecs import zstd
from runs import SCENE, made_run
from toy_scenario import Toy

from serpenoid.hardware.hebi_gains import write_gains
from serpenoid.interchange import export_run
from serpenoid.robots import PlanarSnake, write_model
from serpenoid.robots.cascade import Cascade
from serpenoid.scenarios.slither import Slither
from serpenoid.sweeps import Threads, sweep
from serpenoid.worlds import Plane

MARKER, SECRET = "ran", "secret.txt"
HUGE = 10**12
WORDS = [
    None, True, -1, 0, 1e308, "NaN", "", "x", "\0", "../..", [], {}, [[]], {"a": 1}, 2**70, "9" * 5000, "é" * 300,
    "<script>", "import os", ["a"], 1.5, "os:system",
]  # fmt: skip


class Payload:
    """Code that a pickle would run."""

    def __init__(self, marker: Path):
        self.marker = str(marker)

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (self.marker,)


def frame(values: bytes) -> bytes:
    """A chunk as our codecs write it."""
    packed = zstd.compress(values, 3)
    return packed + crc32c(packed).to_bytes(4, "little")


def signed(packed: bytes) -> bytes:
    """Bytes with the checksum that a chunk ends in."""
    return packed + crc32c(packed).to_bytes(4, "little")


def good_files(folder: Path) -> dict[str, Path]:
    """One of each kind as it should be."""
    folder.mkdir(parents=True)
    run = made_run(PlanarSnake(links=3), Plane(), duration=0.2)
    Slither().label(run)
    run.attributes["script"] = json.dumps([{"tick": 3, "what": "push.1", "value": [0, 1, 0, 0, 0, 0]}])
    files = {"recording": run.save(folder / "run.zarr")}
    over = {"gait.frequency": "0.5:2:3", "medium": "dry,viscous"}
    sweep(Toy(fails_above=1.9), over, folder / "sweep.zarr", executor=Threads(1))
    files["sweep"] = folder / "sweep.zarr"
    texts = {
        "toml": ("robot.toml", 'schema = 1\ntype = "planar_snake"\nlinks = 4\n'),
        "run": ("run.toml", 'schema = 1\nscenario = "slither"\nduration = 0.1\n[robot]\nlinks = 4\n'),
        "scene": ("scene.xml", SCENE),
        "table": ("log.csv", "time_s,joint0_rad,joint1_rad\n0,0.1,0.2\n0.1,0.2,0.3\n0.2,0.2,0.1\n"),
        "pegs": ("pegs.csv", "x,y\n0,0.5\n0.5,0.5\n-0.5,0\n"),
    }
    for kind, (name, text) in texts.items():
        (folder / name).write_text(text)
        files[kind] = folder / name
    for kind, name in (("mjcf", "robot.xml"), ("urdf", "robot.urdf")):
        files[kind] = folder / name
        write_model(PlanarSnake(links=3), files[kind])
    for kind in ("mcap", "parquet"):
        files[kind] = folder / f"export.{kind}"
        export_run(run, files[kind])
    files["bag"] = folder / "bag.db3"
    write_database(files["bag"])
    write_gains(folder / "gains.xml", Cascade(), 3)
    return files | {"gains": folder / "gains.xml"}


def joint_message(second: int) -> bytes:
    """A joint state of ROS 2 with the joint `a` alone, by hand."""
    names = struct.pack("<I", 1) + struct.pack("<I", 2) + b"a\0\0\0"
    stamp = struct.pack("<iII", second, 0, 1) + bytes(4)
    return b"\0\1\0\0" + stamp + names + bytes(0) + struct.pack("<IdII", 1, 0.1 * second, 0, 0)


def write_database(path: Path) -> None:
    """A bag in SQLite with five joint states."""
    with contextlib.closing(sqlite3.connect(path)) as bag, bag:
        bag.execute("CREATE TABLE topics(id INTEGER PRIMARY KEY, name, type, serialization_format)")
        bag.execute("CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id, timestamp, data)")
        bag.execute("INSERT INTO topics VALUES (1, '/joint_states', 'sensor_msgs/msg/JointState', 'cdr')")
        bag.executemany("INSERT INTO messages VALUES (NULL, 1, ?, ?)", [(i, joint_message(i)) for i in range(1, 6)])


def database_traps() -> Iterator[Callable[[Path], Any]]:
    """Traps of bags in SQLite."""
    endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n topic_id FROM c"
    lines = [
        ("DROP TABLE messages", f"CREATE VIEW messages AS {endless}"),
        ("DROP TABLE messages", "CREATE TABLE messages(topic_id, timestamp, data AS (zeroblob(1000000000)))",
         "INSERT INTO messages VALUES (1, 1)"),
        ("DROP TABLE topics", "CREATE VIEW topics AS SELECT load_extension('x') id, 1 name, 2 type"),
        ("UPDATE messages SET data = zeroblob(20000000) WHERE id = 2",), ("UPDATE messages SET data = 'text'",),
        ("UPDATE messages SET timestamp = -1",), ("UPDATE topics SET name = char(10)",),
        ("UPDATE topics SET type = 5",), ("UPDATE topics SET id = 7",), ("DELETE FROM messages",),
        ("CREATE VIRTUAL TABLE extra USING fts5(x)",),
    ]  # fmt: skip
    for statements in lines:
        yield lambda path, statements=statements: altered(path, statements)


def altered(path: Path, statements: tuple[str, ...]) -> None:
    """Change a bag in SQLite; what this SQLite cannot do changes nothing."""
    shutil.copy(path.parents[1] / "good" / path.name, path)
    with contextlib.closing(sqlite3.connect(path)) as bag, bag, contextlib.suppress(sqlite3.Error):
        for statement in statements:
            bag.execute(statement)


def head_traps() -> Iterator[Callable[[Path], Any]]:
    """Traps in the head of an export of ours, as MCAP and parquet hold it."""
    import pyarrow.parquet as parquet

    from serpenoid.interchange.head import head_of
    from serpenoid.trajectory import Trajectory

    def written(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
        good = path.parents[1] / "good"
        data = json.loads(head_of(Trajectory.load(good / "run.zarr"), {}).text())
        change(data)
        if path.suffix == ".mcap":
            with_head(path, good / path.name, json.dumps(data))
        else:
            table = parquet.read_table(good / path.name)
            parquet.write_table(table.replace_schema_metadata({"serpenoid": json.dumps(data)}), path)

    huge = {"dims": ["time", "x"], "shape": [HUGE], "dtype": "float64", "unit": "", "meaning": ""}
    for name in ("rows", "labels", "attributes", "frames"):
        for word in ({}, [], 5, None, {"a": 1}, {"joint": ["a"] * 10**5}):
            yield lambda path, name=name, word=word: written(path, put(name, word))
    for field, word in (("shape", [HUGE]), ("shape", [-1]), ("dims", ["link", "time"]), ("dtype", "object"),
                        ("dtype", "int8"), ("unit", "a\nb"), ("meaning", 5)):  # fmt: skip
        yield lambda path, field=field, word=word: written(path, put("rows", "joint_torque", field, word))
    for name in ("../../x", "huge", "a" * 5000):
        yield lambda path, name=name: written(path, put("rows", name, huge))
    yield lambda path: written(path, put("frames", {"x": "joint_torque"}))
    yield lambda path: written(path, put("attributes", "configuration", '{"robot": {"type": "os:system"}}'))
    yield lambda path: written(path, put("attributes", "configuration", "[" * 50_000))
    for word in (b"", b"\x89MCAP0\r\n", b"PAR1" * 3, b"SQLite format 3\0" + bytes(200)):
        yield lambda path, word=word: path.write_bytes(word)


def with_head(path: Path, source: Path, head: str) -> None:
    """A copy of an export of ours in MCAP with another head."""
    from mcap import records, stream_reader
    from mcap.writer import Writer

    with source.open("rb") as old, path.open("wb") as new:
        writer, schemas, channels = Writer(new), {}, {}
        writer.start()
        writer.add_metadata("serpenoid", {"serpenoid": head})
        for record in stream_reader.StreamReader(old).records:
            if isinstance(record, records.DataEnd):
                break
            if isinstance(record, records.Schema):
                schemas[record.id] = writer.register_schema(record.name, record.encoding, record.data)
            elif isinstance(record, records.Channel):
                number = schemas[record.schema_id]
                channels[record.id] = writer.register_channel(record.topic, record.message_encoding, number)
            elif isinstance(record, records.Message):
                writer.add_message(channels[record.channel_id], record.log_time, record.data, record.publish_time)
        writer.finish()


def _plain(value: Any) -> Any:
    from serpenoid.configuration import to_plain

    return to_plain(value)


def edited(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change a JSON file."""
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def put(*place: Any) -> Callable[[dict[str, Any]], None]:
    """A change that sets the value at a place of JSON data: keys, then the value."""
    *keys, last, value = place

    def change(data: Any) -> None:
        for key in keys:
            data = data[key]
        data[last] = value

    return change


def version_2(array: Path, marker: Path) -> None:
    """An array of Zarr 2 whose filter unpickles."""
    shutil.rmtree(array)
    array.mkdir()
    filters = [{"id": "vlen-utf8"}, {"id": "pickle", "protocol": 5}]
    head = {"zarr_format": 2, "shape": [1], "chunks": [1], "dtype": "|O", "compressor": None, "fill_value": None,
            "order": "C", "filters": filters}  # fmt: skip
    (array / ".zarray").write_text(json.dumps(head))
    (array / ".zattrs").write_text(json.dumps({"units": "", "long_name": "", "rank": 0, "_ARRAY_DIMENSIONS": ["x"]}))
    (array / "0").write_bytes(pickle.dumps(Payload(marker)))


def replaced(path: Path, make: Callable[[Path], Any]) -> None:
    """Something else in place of a file."""
    path.unlink()
    make(path)


def bomb(array: Path, chunks: int, values: int) -> None:
    """An array of zeros that is small on disk and large in memory."""
    chunk = frame(bytes(8 * values))
    edited(array / "zarr.json", put("shape", [chunks * values]))
    edited(array / "zarr.json", put("chunk_grid", "configuration", "chunk_shape", [values]))
    for i in range(chunks):
        (array / "c" / str(i)).write_bytes(chunk)


def store_traps(array: str, chunk: str, around: Path) -> Iterator[Callable[[Path], Any]]:
    """Traps of any Zarr folder: its array, one of its chunks, and the folder with marker and secret."""
    yield lambda store: version_2(store / array, around / MARKER)
    heads = [
        put("data_type", word) for word in ("object", "string", "numpy.void", {"name": "numpy.datetime64"}, 5, None)
    ]
    names = ("numcodecs.pickle", "pickle", "gzip", "blosc", "numcodecs.zlib", "sharding_indexed", "hostile_payload")
    heads += [put("codecs", 0, {"name": name, "configuration": {}}) for name in names]
    heads += [put("codecs", word) for word in ([], None, [5], [{"name": ["bytes"]}])]
    heads += [put("shape", word) for word in ([HUGE], [HUGE] * 3, [-1], [1.5], [True], [1] * 40, {}, "9", [2**70])]
    heads += [put("chunk_grid", "configuration", "chunk_shape", word) for word in ([0], [HUGE], [], None, ["a"])]
    heads += [put("chunk_grid", {"name": "rectilinear"}), put("chunk_key_encoding", {"name": "v2"}),
              put("zarr_format", 2), put("node_type", "group"), put("fill_value", {"a": 1}),
              put("storage_transformers", [{"name": "x"}]), put("attributes", 5), put("dimension_names", [5]),
              put("surprise", {"must_understand": True})]  # fmt: skip
    for head in heads:
        yield lambda store, head=head: edited(store / array / "zarr.json", head)
    for file in (f"{array}/zarr.json", chunk, "zarr.json"):
        yield lambda store, file=file: replaced(store / file, os.mkfifo)
        yield lambda store, file=file: replaced(store / file, lambda place: place.symlink_to("/dev/zero"))
        yield lambda store, file=file: replaced(store / file, lambda place: place.symlink_to(around / SECRET))
        yield lambda store, file=file: (store / file).write_text("[" * 100_000)
        yield lambda store, file=file: (store / file).write_bytes(b"")
    whole = zstd.compress(bytes(10_000_000), 3)
    endless = whole[:4] + bytes([whole[4] & 0x1F]) + b"\x58" + whole[9 if whole[4] >> 5 & 1 else 10 :]
    claims = whole[:4] + bytes([0xE0]) + (2**40).to_bytes(8, "little") + whole[9:]
    for data in (frame(bytes(10_000_000)), signed(whole * 20), signed(endless), signed(claims), b"\x28\xb5\x2f\xfd"):
        yield lambda store, data=data: (store / chunk).write_bytes(data)


def recording_traps(around: Path) -> Iterator[Callable[[Path], Any]]:
    """Traps of recordings."""
    yield from store_traps("joint_torque", "joint_torque/c/0/0", around)
    yield lambda store: bomb(store / "time", 20, 10_000_000)
    yield lambda store: bomb(store / "time", 1, 30_000_000)
    root = ("attributes",)
    yield lambda store: [(entry.unlink() if entry.is_file() else shutil.rmtree(entry)) for entry in store.iterdir()]
    for word in ([], {}, 5, "x", None, {"joint": 5}, {"joint": [5]}, {"joint": ["a"] * 10**5}):
        yield lambda store, word=word: edited(store / "zarr.json", put(*root, "labels", word))
    for name in ("configuration", "script", "versions", "variables", "complete", "schema_version", "seed"):
        for word in random.Random(name).sample(WORDS, 3):
            yield lambda store, name=name, word=word: edited(store / "zarr.json", put(*root, name, word))
    secret = str(around / SECRET)
    kinds = [
        {"type": name, "x": 1} for name in
        ("os:system", "subprocess:Popen", "hostile_payload:Thing", "builtins:eval", "serpenoid.cli:main",
         "pickle:loads", "serpenoid.hostile_payload:Thing", "__main__:Payload", "hostile_payload:..", ":", "a" * 10**5)
    ]  # fmt: skip
    text = f'<mujoco><include file="{secret}"/></mujoco>'
    kinds += [
        {"type": "serpenoid.worlds.peg_board:PegBoard", "layout": "csv", "file": secret},
        {"type": "serpenoid.worlds.peg_board:PegBoard", "layout": "csv", "file": "/dev/zero"},
        {"type": "serpenoid.worlds.scene:Scene", "path": secret},
        {"type": "serpenoid.worlds.scene:Scene", "path": "x", "text": text},
        {"type": "serpenoid.worlds.scene:Scene", "path": "x", "text": text.replace("include", "texture fileup='x'")},
    ]
    for kind in kinds:
        plain = json.dumps({"robot": _plain(PlanarSnake(links=3)), "world": kind})
        yield lambda store, plain=plain: edited(store / "zarr.json", put(*root, "configuration", plain))
        row = json.dumps([{"tick": 1, "what": "controller", "value": kind}])
        yield lambda store, row=row: edited(store / "zarr.json", put(*root, "script", row))
        plain = json.dumps({"scenario": {"type": "serpenoid.scenarios.slither:Slither", "robot": kind}})
        yield lambda store, plain=plain: edited(store / "zarr.json", put(*root, "configuration", plain))
    deep = "[" * 3000 + "]" * 3000
    yield lambda store: edited(store / "zarr.json", put(*root, "configuration", '{"robot": ' + deep + "}"))
    for values in (np.zeros(21)[::-1], np.full(21, np.nan), np.linspace(1.0, 0.0, 21)):
        yield lambda store, values=values: (store / "time/c/0").write_bytes(frame(values.tobytes()))
    turned = (("link_pose", ["time", "pose", "link"]), ("joint_torque", ["joint", "time"]), ("time", ["link"]))
    for name, dims in turned:
        yield lambda store, name=name, dims=dims: edited(store / name / "zarr.json", put("dimension_names", dims))


def sweep_traps(around: Path) -> Iterator[Callable[[Path], Any]]:
    """Traps of sweeps."""
    from serpenoid.sweeps.plan import digest

    yield from store_traps("gait.frequency", "speed/c.0.0", around)
    yield lambda store: version_2(store / "speed", around / MARKER)
    for name in ("dims", "shape", "block", "sampled", "kind", "schema_version", "configuration_hash", "search"):
        for word in random.Random(name).sample(WORDS, 2):
            yield lambda store, name=name, word=word: edited(store / "zarr.json", put("attributes", name, word))
    sound = {"trials": 2, "runs": 3, "best": "speed", "searched": ["gait.frequency"]}
    for name, word in {"trials": 0, "runs": HUGE, "best": "../x", "searched": ["x"]}.items():
        search = sound | {name: word}
        yield lambda store, search=search: edited(store / "zarr.json", put("attributes", "search", search))
    yield lambda store: edited(store / "zarr.json", put("attributes", "search", sound))
    for shape in ([HUGE, 2], [3, HUGE], [30_000, 30_000]):
        yield lambda store, shape=shape: edited(store / "zarr.json", put("attributes", "shape", shape))
    for word in random.Random(5).sample(WORDS, 5):
        yield lambda store, word=word: edited(store / "medium" / "zarr.json", put("attributes", "labels", word))
        yield lambda store, word=word: edited(store / "sessions" / "zarr.json", put("attributes", "sessions", word))

    def named(store: Path, change: Callable[[dict[str, Any]], Any]) -> None:
        def both(data: dict[str, Any]) -> None:
            change(data["attributes"]["configuration"])
            data["attributes"]["configuration_hash"] = digest(data["attributes"]["configuration"])

        edited(store / "zarr.json", both)

    for over in ({"../../x": [1]}, {str(around): [1], "y": [2]}, {}, [], 5, {"gait.frequency": 5, "medium": 5}):
        yield lambda store, over=over: named(store, put("over", over))
    for kind in ("os:system", "hostile_payload:Thing", 5, None):
        yield lambda store, kind=kind: named(store, put("scenario", "type", kind))


def text_traps(around: Path) -> dict[str, list[str]]:
    """Traps of files of text, by kind."""
    secret = around / SECRET
    laughs = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9)
    ) + "]>"  # fmt: skip
    outside = f'<!DOCTYPE x [<!ENTITY a SYSTEM "file://{secret}">]>'
    include = "<mujoco><include file='{}'/></mujoco>"
    asset = "<mujoco><asset>{}</asset><worldbody><geom size='1'/></worldbody></mujoco>"
    models = [
        laughs + "<mujoco model='&i;'/>", outside + "<mujoco>&a;</mujoco>", include.format(secret),
        include.format("/dev/zero"), include.format(around / "pipe"), include.format("/dev"),
        include.format("a" * 5000), asset.format(f"<mesh name='m' file='{around / 'pipe'}'/>"),
        asset.format("<mesh name='m' file='/dev/zero.stl'/>"),
        asset.format("<hfield name='h' nrow='1000000' ncol='1000000' size='1 1 1 1'/>"),
        asset.format("<texture name='t' type='2d' builtin='flat' width='1000000' height='1000000'/>"),
        asset.format(f"<texture name='t' type='cube' fileup='{around / 'pipe'}'/>"),
        "<mujoco><size memory='1000T'/><worldbody><geom size='1'/></worldbody></mujoco>",
        "<mujoco><worldbody><replicate count='1000000000'><geom size='1'/></replicate></worldbody></mujoco>",
        "<mujoco><extension><plugin plugin='hostile.payload'/></extension></mujoco>", "<a>" * 100_000, "<mujoco",
        "<mujoco><worldbody><body><joint/><geom size='nan'/></body></worldbody></mujoco>", "\0\1\2", "",
    ]  # fmt: skip
    mesh = "<robot name='r'><link name='a'><visual><geometry><mesh filename='{}'/></geometry></visual></link></robot>"
    robots = [mesh.format(name) for name in (secret, "/dev/zero", around / "pipe", "file:///etc/passwd",
              "http://127.0.0.1:9/x.stl", "package://../../../etc/passwd", around / "pipe.stl")]  # fmt: skip
    robots += [laughs + "<robot name='&i;'/>", outside + "<robot name='r'>&a;</robot>", "<robot/>", "<robot>" * 50_000]
    tables = ["", "\0", "time_s", "time_s\n1\n", "time_s,a_rad\n0,1\nnan,2\n1,3\n",
              "time_s,a_rad\n0,\"" + "x" * 300_000,
              "time_s," + ",".join(f"a{i}_rad" for i in range(20_000)) + "\n0\n", "time_s,a_rad\n1e400,1\n2,1\n3,1\n",
              "time_s,time_s\n" * 4, "time_s,a1_rad,a01_rad\n0,1,2\n1,2,3\n",
              "=cmd|'/c calc'!A0,time_s\n" * 3]  # fmt: skip
    tomls = ["", "schema = 1", "schema = 9", "schema = 1\ntype = 'os:system'",
             "schema = 1\ntype = 'hostile_payload:Thing'",
             "schema = 1\ntype = 'planar_snake'\nlinks = " + "9" * 5000, "schema = 1\na = " + "[" * 50_000,
             "schema = 1\ntype = 'planar_snake'\nlinks = inf", "schema = 1\ntype = 'planar_snake'\nlinks = 1e400",
             f"schema = 1\nscenario = 'slither'\nrobot = '{around / 'pipe'}.toml'", "schema = 1\nscenario = 5",
             f"schema = 1\nscenario = 'slither'\nrobot = '{secret}'", "schema = 1\nscenario = '../x'"]  # fmt: skip
    gains = [laughs + "<group_gains>&i;</group_gains>", outside + "<group_gains>&a;</group_gains>", "<group_gains/>",
             "<group_gains><control_strategy>nan</control_strategy></group_gains>", "<x/>", "",
             "<?xml version='1.0' encoding='idna'?><x/>", "<group_gains><control_strategy>4</control_strategy>"
             "<position><kp>1e999</kp></position></group_gains>"]  # fmt: skip
    pegs = ["", "\0", "a,b\n", "1,2,3\n", "1e400,0\n", "nan,0\n", "0,0\n0,0\n", "x" * 200_000, '"' * 5]
    return {"mjcf": models, "scene": models, "urdf": robots, "table": tables, "toml": tomls, "run": tomls,
            "gains": gains, "pegs": pegs}  # fmt: skip


def damaged_bytes(data: bytes, chance: random.Random) -> bytes:
    """Bytes flipped, cut, doubled or replaced by hostile words."""
    found = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(found)) if found else 0
        way = chance.randrange(4)
        if way == 0 and found:
            found[at] ^= 1 << chance.randrange(8)
        elif way == 1:
            del found[at : at + chance.randint(1, 40)]
        elif way == 2:
            found[at:at] = str(chance.choice(WORDS)).encode()
        else:
            found[at:at] = found[at : at + chance.randint(1, 60)]
    return bytes(found)


def hostile_files(folder: Path, good: dict[str, Path], damages: int) -> Iterator[tuple[str, Path]]:
    """Make every trap and a number of random damages of each kind; kind and path of each."""
    os.mkfifo(folder / "pipe")
    os.mkfifo(folder / "pipe.stl")
    (folder / SECRET).write_text("0,1\nthe secret\n")
    number = 0
    for kind, source in good.items():
        traps: list[Any] = []
        if source.is_dir():
            traps = list((recording_traps if kind == "recording" else sweep_traps)(folder))
        else:
            own = {"mcap": head_traps, "parquet": head_traps, "bag": database_traps}
            places = [os.mkfifo, Path.mkdir, lambda place: place.symlink_to("/dev/zero")]
            traps = [*own.get(kind, tuple)(), *text_traps(folder).get(kind, ()), *places]
        for trap in [*traps, *range(damages)]:
            place = folder / f"{number:04d}" / source.name
            number += 1
            place.parent.mkdir()
            if source.is_dir():
                shutil.copytree(source, place)
            if isinstance(trap, str):
                place.write_text(trap)
            elif not isinstance(trap, int):
                trap(place)
            else:
                chance = random.Random(f"{kind} {trap}")
                inside = sorted(path for path in source.rglob("*") if path.is_file()) if source.is_dir() else [source]
                victim = chance.choice(inside)
                spoilt = place / victim.relative_to(source) if source.is_dir() else place
                spoilt.write_bytes(damaged_bytes(victim.read_bytes(), chance))
            yield kind, place
