"""Command-line reference: docs/reference/command-line.md, generated from the help of every command.

Run `python tools/command_reference.py` to rewrite the page. With `--check` it prints the differences instead and ends
with exit code 1 if there are any.
"""

from __future__ import annotations

import difflib
import io
import os
import sys
import textwrap
from contextlib import redirect_stdout
from pathlib import Path

from serpenoid.cli import COMMANDS, commands, dynamixel, hebi, main
from serpenoid.support import plugins

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "command-line.md"
BEGIN, END = "<!-- commands: made by tools/command_reference.py -->", "<!-- end of commands -->"
OWN_PACKAGE = "serpenoid_papers."
ACTIONS_OF = {  # commands whose first word is an action
    "dynamixel": tuple(dynamixel.ACTIONS), "hebi": tuple(hebi.ACTIONS), "servo": ("plan", "compare"),
}  # fmt: skip
WIDTH, INDENT = 112, 37  # columns of a help line, and of the text behind a flag


def own_commands() -> dict[str, str]:
    """Return the commands of this distribution with their summaries; other installed packages are omitted."""
    entries = plugins.entries("commands")
    return {
        name: summary
        for name, summary in commands().items()
        if name in COMMANDS or entries[name].value.startswith(OWN_PACKAGE)
    }


def printed(words: list[str]) -> str:
    """Return the output of a command."""
    os.environ["COLUMNS"] = str(WIDTH)  # the same page in every terminal
    output = io.StringIO()
    with redirect_stdout(output):
        code = main(words)
    if code:
        raise RuntimeError(f"serpenoid {' '.join(words)} ended with exit code {code}")
    return output.getvalue()


def wrapped(text: str) -> str:
    """Wrap long lines; continuation lines of a flag are aligned with its description."""
    lines = []
    for line in text.rstrip().splitlines():
        indent = " " * (INDENT if line.startswith(("  --", " " * INDENT)) else 2)
        lines += textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False) or [""]
    return "\n".join(line.rstrip() for line in lines)


def blocks_of(text: str) -> list[str]:
    """Split a help text into blocks: an option or a list of names with its continuation lines, or another line."""
    blocks: list[str] = []
    for line in text.rstrip().splitlines():
        described = blocks and blocks[-1].startswith(("  --", "NAME:"))
        if described and line.startswith("  ") and not line.startswith("  --"):
            blocks[-1] += f"\n{line}"
        else:
            blocks.append(line)
    return blocks


def without_repetition(text: str, words: list[str], seen: dict[str, str]) -> str:
    """Return a help text in which blocks of earlier commands are only named; `seen` maps blocks to commands."""
    kept, again = [], dict[str, list[str]]()
    for block in blocks_of(text):
        if block in seen:
            again.setdefault(seen[block], []).append(block.split()[0].rstrip(":"))
        else:
            kept.append(block)
            if block.startswith(("  --", "NAME:")):
                seen[block] = " ".join(words)
    return "\n".join([*kept, *(f"\nas for {command}: {', '.join(names)}" for command, names in again.items())])


def section(words: list[str], level: int, seen: dict[str, str]) -> str:
    """Return the heading of a command and its help."""
    title = f"{'#' * level} {' '.join(words)}"
    text = without_repetition(printed([*words, "--help"]), words, seen)
    return f"{title}\n```text\n{wrapped(text)}\n```"


def reference() -> str:
    """Return the table of commands, the help of each, and the names that `serpenoid list` prints."""
    rows = [f"| [`{name}`](#{name}) | {summary} |" for name, summary in own_commands().items()]
    parts = ["\n".join(["| command | purpose |", "|---|---|", *rows])]
    seen: dict[str, str] = {}
    for name in own_commands():
        parts.append(section([name], 2, seen))
        parts += [section([name, action], 3, seen) for action in ACTIONS_OF.get(name, ())]
    parts.append(f"## Names\nThe output of `serpenoid list`:\n\n```text\n{wrapped(printed(['list']))}\n```")
    return "\n\n".join(parts)


def written(page: str) -> str:
    """Return the page with the reference of this version between its marks."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{reference()}\n{END}{after}"


def rewrite(check: bool) -> int:
    """Rewrite the page, or only compare it; return the exit code."""
    page = PAGE.read_text(encoding="utf-8")
    if check:
        old, new = page.splitlines(), written(page).splitlines()
        changes = list(difflib.unified_diff(old, new, "page", "program", lineterm=""))
        print("\n".join(changes))
        return int(bool(changes))
    PAGE.write_text(written(page), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(rewrite("--check" in sys.argv[1:]))
