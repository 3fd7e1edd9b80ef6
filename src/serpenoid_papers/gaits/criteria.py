"""Criteria of the study of gaits: the claims of the SEA-snake thesis that its experiments answer."""

from __future__ import annotations

from serpenoid_papers.sea_snake import criteria as thesis

CRITERIA = {
    id: thesis.CRITERIA[id]
    for id in ("S1", "S2", "S3", "S4", "S7", "S8", "S9", "S10", "S25", "S39", "S43", "S47", "S51", "S55")
}
