"""Display of a run in the browser or a notebook, from Python."""

from __future__ import annotations

import html
import tempfile
import webbrowser
from pathlib import Path
from typing import Any

from serpenoid.plotting.style import in_notebook
from serpenoid.studio.html import export_html, page_of
from serpenoid.trajectory import Trajectory


def show(run: Trajectory, height: int = 480) -> Any:
    """Play a run in a notebook cell [`height` pixels] or in the default browser; return the displayed object."""
    if in_notebook():
        from IPython.display import HTML

        page = html.escape(page_of(run), quote=True)
        frame = f'<iframe srcdoc="{page}" style="width:100%;height:{int(height)}px;border:1px solid #ddd"></iframe>'
        return HTML(f"<div>{frame}</div>")
    place = Path(tempfile.mkdtemp(prefix="serpenoid-")) / "run.html"
    export_html(run, place)
    webbrowser.open(place.as_uri())
    return place
