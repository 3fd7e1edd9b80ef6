"""All experiments of all papers, tiny, through `reproduce`: claims, report, figures, and their common interface."""

from __future__ import annotations

import inspect
import json
import pkgutil
import re
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from serpenoid.errors import FileProblem, InvalidValue, UnknownName
from serpenoid_papers.base import (
    ExperimentConfig,
    Finding,
    config_of,
    judge,
    judge_readings,
    papers,
    reproduce,
    verdict,
)
from serpenoid_papers.criterion import Criterion, matching

PAPERS = papers()
MODULES = [(paper, module) for paper in PAPERS.values() for module in paper.modules]
# A tiny run has no plans of 40 steps, ends before the tunnel, and has too few boards for jams and rivals.
UNDECIDED = {"M3", "M8", "J1", "J2", "J3", "S62", "S63", "S64"}
# Criteria that test every measured value, for any key, or report a table without a verdict.
KEYLESS = {
    "moving-frame": {"F1", "F3", "F5"},
    "gaits": {"S8"},
    "mpc-gaits": {"B4", "B5", "B6", "M12"},
    "natrix": {"B3", "B5"},
    "pegs": {"G8"},
    "pushing": {"P1", "P2", "P7", "P9", "P10"},
    "sea-snake": {"S8"},
}


@pytest.fixture(scope="module", params=PAPERS)
def reproduced(request, tmp_path_factory):
    """A paper, the folder of its reproduction, the reported progress, and the returned claims."""
    out, told = tmp_path_factory.mktemp(request.param) / "new" / "folder", []
    return PAPERS[request.param], out, told, reproduce(PAPERS[request.param], out, "tiny", told.append)


def no_constant(name):
    raise AssertionError(f"{name} is not JSON")


def test_claims_are_all_answered_and_none_is_judged(reproduced):
    paper, out, told, claims = reproduced
    document = json.loads((out / "claims.json").read_text(), parse_constant=no_constant)
    assert document["claims"] == claims
    assert (document["paper"], document["size"]) == (paper.name, "tiny")
    assert {"serpenoid", "numpy", "numba"} <= set(document["versions"])
    assert [claim["id"] for claim in claims] == list(paper.criteria)
    for claim in claims:
        several = claim.get("readings", {})
        assert sorted(set(claim) - {"readings"}) == [
            "band",
            "claim",
            "holds",
            "id",
            "measured",
            "paper_value",
            "reason",
        ]
        assert claim["holds"] is None and all(own["holds"] is None for own in several.values())
        assert not several or several["tuned"]["measured"] == claim["measured"]
        assert claim["reason"] not in ("", "not measured in this run")
        assert (claim["measured"] is None) == (claim["id"] in UNDECIDED), claim
    for module in paper.modules:
        assert f"{paper.name}: {module.replace('_', ' ')}" in told


def test_every_criterion_looks_up_keys_that_its_experiment_measures(reproduced):
    """A reproduction looks up all keys and fails on a missing one; here all are missing."""
    paper, _, _, claims = reproduced
    for claim in claims:
        criterion, measured = paper.criteria[claim["id"]], claim["measured"]
        if not isinstance(measured, dict) or claim["id"] in KEYLESS.get(paper.name, set()):
            continue
        with pytest.raises(UnknownName) as caught:
            verdict(claim["id"], criterion, {f"~{number}": value for number, value in enumerate(measured.values())})
        assert claim["id"] in caught.value.kind


def test_the_report_shows_every_claim_and_every_figure(reproduced):
    paper, out, _, claims = reproduced
    text = (out / "report.html").read_text()
    for claim in claims:
        assert f"<td>{claim['id']}<td>" in text
    assert text.count("<td class=open>no verdict") == len(claims)
    assert "judges nothing" in text
    pictures = list(out.glob("*.png"))
    assert text.count("data:image/png;base64,") == len(pictures) > 0
    for link in re.findall(r'<a href="([^"]+)"', text):
        assert (out / link).stat().st_size > (5_000 if link.endswith(".html") else 50)


def test_figures_are_not_empty(reproduced):
    from matplotlib.image import imread

    for picture in reproduced[1].glob("*.png"):
        pixels = imread(picture)[..., :3]
        inked = (np.abs(pixels - pixels[0, 0]).max(axis=-1) > 0.1).mean()
        assert min(pixels.shape[:2]) >= 300, picture.name
        assert inked > 0.01, picture.name


@pytest.mark.parametrize(("paper", "name"), MODULES, ids=[f"{paper.name}-{name}" for paper, name in MODULES])
def test_every_experiment_has_the_one_shape(paper, name):
    module = paper.experiment(name)
    assert issubclass(module.Config, ExperimentConfig)
    assert is_dataclass(module.Config)
    for size in ("full", "quick", "tiny"):
        assert type(config_of(module, size, Path("kept"))) is module.Config
    names = {"run": ["config", "progress"], "claims": ["result"], "figure": ["result", "folder"]}
    for function, arguments in names.items():
        assert list(inspect.signature(getattr(module, function)).parameters) == arguments
        assert inspect.getdoc(getattr(module, function))


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
def test_no_experiment_is_left_out(paper):
    package = import_module(paper.package)
    found = {info.name for info in pkgutil.iter_modules(package.__path__)}
    assert {name for name in found if hasattr(paper.experiment(name), "Config")} == set(paper.modules)


def test_only_a_full_run_keeps_its_sweeps():
    kept = {
        (name, size): config_of(paper.experiment(name), size, Path("kept")).store
        for paper, name in MODULES
        for size in ("full", "quick", "tiny")
        if "store" in {field.name for field in fields(paper.experiment(name).Config)}
    }
    assert {name for name, _ in kept} == {
        "fronts", "tongue", "stabiliser", "slithering", "headline", "variants", "jams", "poles", "row", "row_variants",
        "stiffness", "twins", "density_and_friction", "joining", "boards", "transfer",
        "ablation", "free_waves", "costs", "joints", "push_to", "touch",
    }  # fmt: skip
    assert all(store == ("kept" if size == "full" else None) for (_, size), store in kept.items())


def test_only_named_experiments_run_and_other_claims_stay(tmp_path):
    paper, told = PAPERS["pushing"], []
    reproduce(paper, tmp_path, "tiny", told.append, ["closed_forms"])
    first = {claim["id"]: claim for claim in json.loads((tmp_path / "claims.json").read_text())["claims"]}
    found = {id for id, claim in first.items() if claim["reason"] != "not measured in this run"}
    assert told[0] == "pushing: closed forms"
    assert 0 < len(found) < len(first)
    pictures = set(tmp_path.glob("*.png"))
    document = json.loads((tmp_path / "claims.json").read_text())
    for claim in document["claims"]:
        claim["holds"] = claim["id"] in found  # like a full run
    (tmp_path / "claims.json").write_text(json.dumps(document))
    again = {claim["id"]: claim for claim in reproduce(paper, tmp_path, "tiny", told.append, ["far_joint"])}
    assert all(again[id]["holds"] and again[id]["reason"] == first[id]["reason"] for id in found)
    assert {id for id, claim in again.items() if claim["reason"] != "not measured in this run"} > found
    text = (tmp_path / "report.html").read_text()
    assert text.count("data:image/png;base64,") == len(set(tmp_path.glob("*.png"))) > len(pictures)
    for other, size in ((paper, "quick"), (PAPERS["natrix"], "tiny")):
        with pytest.raises(InvalidValue) as caught:
            reproduce(other, tmp_path, size, told.append, ["far_joint"] if other is paper else [])
        assert caught.value.field == "out"
        assert all(word in str(caught.value) for word in (other.name, size, "pushing", "tiny"))
    for broken in ("{", "[]", "{}", '{"paper": "pushing", "size": "tiny", "claims": [3]}'):
        (tmp_path / "claims.json").write_text(broken)
        with pytest.raises(FileProblem, match="claims.json"):
            reproduce(paper, tmp_path, "tiny", told.append, ["far_joint"])


def test_an_experiment_is_named_as_the_paper_or_the_one_it_takes_in_has_it():
    paper = PAPERS["sea-snake"]
    assert paper.chosen([]) == paper.all_modules
    assert paper.chosen(["row", "poles"]) == ("poles", "row")
    assert paper.chosen(["steering", "gaits.steering"]) == ("gaits.steering", "steering")
    assert paper.chosen(["helices"]) == ("gaits.helices",)
    with pytest.raises(UnknownName, match="did you mean row"):
        paper.chosen(["rows"])


def test_a_verdict_is_null_where_nothing_was_measured_or_too_little():
    criterion = Criterion("it works", "yes", "above 1", lambda m: m["value"] > 1.0)
    found = Finding("X1", {"value": 2.0, "spread": float("nan")}, "how")
    assert judge("X1", criterion, found)["holds"] is True
    assert judge("X1", criterion, found)["measured"] == {"value": 2.0, "spread": None}
    assert judge("X1", criterion, found, "tiny")["holds"] is None
    assert judge("X1", criterion, None)["holds"] is None
    assert judge("X1", criterion, None)["reason"] == "not measured in this run"
    assert judge("X1", criterion, Finding("X1", None, "too short"))["holds"] is None
    assert judge("X1", criterion, found._replace(measured={"value": 0.0}))["holds"] is False
    undecided = judge("X1", criterion, found._replace(undecided="too few"))
    assert undecided["holds"] is None and undecided["reason"] == "too few; how"


def test_the_last_reading_decides_and_all_are_kept():
    criterion = Criterion("it works", "yes", "above 1", lambda m: m["value"] > 1.0)
    first, last = (
        Finding("X1", {"value": value}, name, reading=name) for value, name in ((2.0, "printed"), (0.5, "tuned"))
    )
    found = judge_readings("X1", criterion, {"printed": first, "tuned": last})
    assert found["holds"] is False and found["reason"] == "tuned"
    assert {name: own["holds"] for name, own in found["readings"].items()} == {"printed": True, "tuned": False}
    plain = judge_readings("X1", criterion, {"": first._replace(reading="")})
    assert plain["holds"] is True and "readings" not in plain
    assert judge_readings("X1", criterion, {})["holds"] is None


@pytest.mark.parametrize("size", ["full", "quick", "tiny"])
def test_a_key_that_a_criterion_does_not_find_is_an_error(size):
    criterion = Criterion("it works", "yes", "above 1", lambda m: m["value"] > 1.0)
    with pytest.raises(UnknownName) as caught:
        judge("X1", criterion, Finding("X1", {"valeu": 2.0}, "how", "too few"), size)
    assert caught.value.name == "value" and "X1" in caught.value.kind and caught.value.choices == ["valeu"]


def test_values_by_parts_of_their_keys():
    measured = {"dry, N = 25 [m/s]": 1.0, "dry, N = 25 [W]": 2.0, "fluid [m/s]": 3.0}
    assert matching(measured, "[m/s]") == [1.0, 3.0] and matching(measured, "dry", "[m/s]") == [1.0]
    with pytest.raises(KeyError):
        matching(measured, "viscous")
