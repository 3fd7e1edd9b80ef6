"""Runs to look at: scenes, and animations as single HTML files."""

from serpenoid.studio.html import export_html
from serpenoid.studio.scene import Scene, scene_of

__all__ = ["Scene", "export_html", "scene_of"]
