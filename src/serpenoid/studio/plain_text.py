"""Plain text for a page: file contents are shown verbatim, not as markdown."""

from __future__ import annotations

import re

MARKS = "\\`*_{}[]<>#|!&~$"


def plain_text(text: str) -> str:
    """Escape a text as one line of markdown that shows it verbatim.

    viser's markdown accepts HTML and expressions in braces; a line that begins with import or export would be code.
    """
    line = "".join(f"\\{letter}" if letter in MARKS else letter for letter in " ".join(text.split()))
    return f"&#{ord(line[0])};{line[1:]}" if re.match("import|export", line) else line
