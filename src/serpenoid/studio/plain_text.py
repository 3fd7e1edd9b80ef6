"""Plain text for a page: whatever a file holds is shown as it is, and means nothing to markdown."""

from __future__ import annotations

import re

MARKS = "\\`*_{}[]<>#|!&~$"


def plain_text(text: str) -> str:
    """Return markdown that shows a text on one line, letter by letter.

    viser's markdown takes HTML and expressions in braces; a line that begins with import or export would be code.
    """
    line = "".join(f"\\{letter}" if letter in MARKS else letter for letter in " ".join(text.split()))
    return f"&#{ord(line[0])};{line[1:]}" if re.match("import|export", line) else line
