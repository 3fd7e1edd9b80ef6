"""Report of a reproduction as one HTML file that opens from disk: claims, verdicts, pictures, animations."""

from __future__ import annotations

import base64
import html
import json
from pathlib import Path
from typing import Any

STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:1100px;margin:2em auto;padding:0 1em;color:#1d2733}
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #d5dbe1;padding:.4em .6em;text-align:left}
td,th{vertical-align:top}
.yes{color:#0a7d35;font-weight:600}.no{color:#b3261e;font-weight:600}.open{color:#7a6a00;font-weight:600}
img{max-width:100%;margin:.5em 0}figcaption{color:#5b6770}pre{white-space:pre-wrap;margin:0;font-size:12.5px}
"""
NOTES = {
    "full": "",
    "quick": " (quick run: coarser grids, shorter runs)",
    "tiny": " (tiny run: shows that everything runs, judges nothing)",
}
VERDICTS = {True: ("holds", "yes"), False: ("does not hold", "no"), None: ("no verdict", "open")}


def write_report(paper: Any, document: dict[str, Any], pictures: list[Path], path: Path) -> None:
    """Write the report; pictures are embedded, animations and texts are linked."""
    rows = "".join(claim_row(claim) for claim in document["claims"])
    figures = "".join(figure(picture, path.parent) for picture in pictures)
    note = NOTES[document["size"]]
    versions = ", ".join(f"{name} {version}" for name, version in document["versions"].items())
    path.write_text(
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{html.escape(paper.name)}</title>"
        f"<style>{STYLE}</style>"
        f"<h1>{html.escape(paper.title)}</h1><p>Reproduced by serpenoid{note}. {html.escape(versions)}</p>"
        "<table><tr><th>id<th>claim<th>paper<th>band<th>measured<th>verdict</tr>"
        f"{rows}</table>{figures}</html>\n"
    )


def claim_row(claim: dict[str, Any]) -> str:
    """Return a claim as a row of the table."""
    word, css = VERDICTS[claim["holds"]]
    cells = [html.escape(readable(claim[key])) for key in ("id", "claim", "paper_value", "band")]
    cells.append(f"<pre>{html.escape(readable(claim['measured']))}</pre>{html.escape(claim['reason'])}")
    readings = claim.get("readings", {})
    under = "".join(f"<br>{html.escape(name)}: {VERDICTS[own['holds']][0]}" for name, own in readings.items())
    return f"<tr>{''.join('<td>' + cell for cell in cells)}<td class={css}>{word}{under}</tr>"


def readable(value: Any) -> str:
    """Return a measured value as short text."""
    if isinstance(value, dict):
        return "\n".join(f"{key}: {readable(item)}" for key, item in value.items())
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return ", ".join(readable(item) for item in value)
    return value if isinstance(value, str) else json.dumps(value)


def figure(path: Path, folder: Path) -> str:
    """Return an embedded picture, or a link to an animation or to a text."""
    name = html.escape(path.stem.replace("_", " "))
    if path.suffix == ".png":
        data = base64.b64encode(path.read_bytes()).decode()
        return f'<figure><img alt="{name}" src="data:image/png;base64,{data}"><figcaption>{name}</figcaption></figure>'
    return f'<p><a href="{html.escape(str(path.relative_to(folder)))}">{name}</a></p>'
