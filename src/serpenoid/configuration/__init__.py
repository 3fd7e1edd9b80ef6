"""Dataclasses as configurations: fields by dotted name, from words, to and from plain data (JSON, TOML)."""

from serpenoid.configuration.annotations import (
    class_choices,
    field_docs,
    field_types,
    folded,
    members,
    plain_name,
    required,
    unit_of,
)
from serpenoid.configuration.classes import OPENED, kind_of, needed_types, open_module
from serpenoid.configuration.fields import Field, changed, get, walk
from serpenoid.configuration.parts import Part
from serpenoid.configuration.plain import from_plain, repeatable, to_plain
from serpenoid.configuration.ranges import (
    Range,
    above,
    at_least,
    between,
    check_fields,
    field_ranges,
    in_radians,
    usual,
)
from serpenoid.configuration.toml import read_toml, toml_text
from serpenoid.configuration.words import describe, describe_missing, number, one, parse, parse_as

__all__ = [
    "OPENED", "Field", "Part", "Range", "above", "at_least", "between", "changed", "check_fields", "class_choices",
    "describe", "describe_missing", "field_docs", "field_ranges", "field_types", "folded", "from_plain", "get",
    "in_radians", "kind_of", "members", "needed_types", "number", "one", "open_module", "parse", "parse_as",
    "plain_name", "read_toml", "repeatable", "required", "to_plain", "toml_text", "unit_of", "usual", "walk",
]  # fmt: skip
