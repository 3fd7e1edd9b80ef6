"""Viewing of runs: scenes, single HTML files, films, and the live page (`serpenoid studio`)."""

from serpenoid.studio.film import render
from serpenoid.studio.html import export_html
from serpenoid.studio.scene import SceneData, scene_of
from serpenoid.studio.show import show

__all__ = ["SceneData", "export_html", "render", "scene_of", "show"]
