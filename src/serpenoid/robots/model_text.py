"""Checks of untrusted model texts (MJCF, URDF) before MuJoCo opens referenced files or allocates memory.

MuJoCo blocks on a pipe, reads a device endlessly, and accepts any count in a text.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from serpenoid.errors import FileProblem, short
from serpenoid.support.reading import check_regular, read_text

# Attributes whose product is the number of objects that MuJoCo creates from an element.
COUNTS = {
    "hfield": ("nrow", "ncol"), "texture": ("width", "height"), "replicate": ("count",), "composite": ("count",),
    "flexcomp": ("count",),
}  # fmt: skip
MOST = {"hfield": 1 << 24, "texture": 1 << 24, "replicate": 10_000, "composite": 10_000, "flexcomp": 10_000}
MOST_SIZE = 1 << 30  # of the memory that the element `size` requests [bytes]
MOST_ROWS = 10_000  # of the counts in `size`: key frames, user numbers
MOST_CELLS = 200  # along an edge of a mesh that MuJoCo generates
PNG = b"\x89PNG\r\n\x1a\n"
MOST_PIXELS = 1 << 24
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40, "p": 1 << 50, "e": 1 << 60}
FOLDERS = ("meshdir", "texturedir", "assetdir")
PARTS = ("include", "model")  # elements that reference other texts
MOST_PARTS = 100


def parse_model(path: Path | str, text: str) -> ElementTree.Element:
    """Return the root of a model's text; refuse counts that would fill the memory."""
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as error:
        raise FileProblem(path, f"is not XML ({error})") from None
    copies = 1.0
    for element in root.iter():
        if element.tag in COUNTS:
            count = math.prod(abs(n) for name in COUNTS[element.tag] for n in numbers(element.get(name, "")))
            copies *= count if element.tag == "replicate" else 1.0
            count = copies if element.tag == "replicate" else count
            if not count <= MOST[element.tag]:
                raise FileProblem(path, f"{element.tag} creates {count:g} parts: must be at most {MOST[element.tag]}")
        for name, value, most in bounded_attributes(element):
            if any(not number <= most for number in numbers(value)):
                raise FileProblem(path, f"{element.tag} {name} = {short(value)}: must be at most {most}")
    return root


def bounded_attributes(element: ElementTree.Element) -> Iterator[tuple[str, str, int]]:
    """Yield attributes that determine memory: name, value and limit."""
    if element.tag == "size":
        for name, value in element.attrib.items():
            yield name, value, MOST_ROWS if name.startswith(("nuser", "nkey")) else MOST_SIZE
    elif element.tag == "mesh" and "builtin" in element.attrib:
        yield "params", element.get("params", ""), MOST_CELLS


def numbers(text: str) -> list[float]:
    """Return the numbers of an attribute, such as 20, 3 3 1 or 10M; MuJoCo rejects other words."""
    found = (re.fullmatch(r"([-+.0-9e]+)([kmgtpe]?)", word) for word in text.lower().split())
    return [value * UNITS[match[2]] for match in found if match and (value := number(match[1])) is not None]


def number(word: str) -> float | None:
    """Return a word as a number; None if it is not one."""
    try:
        return float(word)
    except ValueError:
        return None


def named_files(root: ElementTree.Element) -> Iterator[tuple[str, str]]:
    """Yield the element and the name of every file that a model names."""
    for element in root.iter():
        for attribute, name in element.attrib.items():
            if attribute.startswith("file"):  # textures have fileup, fileleft, ...
                yield element.tag, name


def check_named_files(path: Path, root: ElementTree.Element) -> None:
    """Raise if a referenced file is not a regular file, in any folder that MuJoCo searches; check text files."""
    waiting, seen = [(path, root, False)], {(path.resolve(), False)}
    while waiting:
        text, root, attached = waiting.pop()
        if attached and root.find("asset/model") is not None:  # nested models may recurse or grow exponentially
            raise FileProblem(text, "is attached by another model: must not attach models itself")
        folders = {""} | {element.get(name, "") for element in root.iter("compiler") for name in FOLDERS}
        places = {(tag, base / folder / part)
                  for tag, name in named_files(root) for part in (name, Path(name).name) if part
                  for folder in folders for base in (path.parent, text.parent)}  # fmt: skip
        for tag, place in places:
            if not os.path.exists(place):  # noqa: PTH110, also of names that the system refuses
                continue
            check_regular(place)
            check_picture(place)
            part = place.resolve(), attached or tag == "model"
            if tag in PARTS and part not in seen:
                seen.add(part)
                waiting.append((place, parse_model(place, read_text(place, errors="replace")), part[1]))
        if len(seen) > MOST_PARTS:
            raise FileProblem(path, f"names more than {MOST_PARTS} texts")


def check_picture(path: Path) -> None:
    """Raise for a PNG file with too many pixels; a few kilobytes can decode to gigabytes."""
    with path.open("rb") as file:
        head = file.read(24)
    width, height = (int.from_bytes(head[start : start + 4], "big") for start in (16, 20))
    if head.startswith(PNG) and width * height > MOST_PIXELS:
        raise FileProblem(path, f"has {width} x {height} pixels: must be at most {MOST_PIXELS} in all")
