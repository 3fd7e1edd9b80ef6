"""Language checker: docstrings, comments, messages, pages and TOML files against the rules of docs/reference/style.md.

Run `python tools/language.py [PATH ...]` to list every finding as file:line: rule: text. Without paths it checks
the whole repository. The test suite runs the same check and accepts no finding.
"""

from __future__ import annotations

import ast
import io
import itertools
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
VERBS = frozenset((ROOT / "tools" / "verbs.txt").read_text(encoding="utf-8").split())
LONGEST = 25  # words of a sentence
FIELD_CLAUSE = re.compile(r"(what|where|how|who|of|when|which|that|so)\b", re.IGNORECASE)
CLAUSE = re.compile(r"(What|Whether|Where|How|Which|Who|Whom|Whose|Of|When|That|So|As)\b")
PHRASES = {
    r"\b(the|its|their|of) books\b": "energy balance",
    r"\b(told|tell|tells|telling)\b": "report, return, raise",
    r"\b(is|are|was|were) no (?!longer\b)[a-z]": "is not a",
    r"\bsays? so\b": "state it directly",
    r"\b(go|goes|going|went|gone) (round|on)\b": "pass around, resume, continue",
    r"\b(get|gets|getting|got) on\b": "progress",
    r"\b(lay|lays|laid|lain) (over|into|out|down|in)\b": "compared with, inlined",
    r"\bcarr(y|ies|ied) (out|through)\b": "simulate, run",
    r"\bso many\b": "give the number",
    r"\b(nobody|somebody|whoever|whatever|wherever)\b": "name the thing",
    r"\bfresh eyes\b": "independent review",
    r"\bfor ever\b": "permanently",
    r"\bby and by\b": "gradually",
    r"\bin other words\b": "state it once",
    r"\b(?<!hebi_)(?<!hebi-)(?<!--)twins?\b": "emulator, reference implementation",
    r"\bhardly\b": "almost no",
    r"\b(hers?|whom)\b": "name the thing",
    r"\b(round) (a|an|the|it|its|them|which)\b": "around",
    r"\bas (hard|well|far|fast|long) as (a|the|it) \w+ (carries|goes|gives)\b": "give the limit",
    r"\bput right\b": "corrected",
    r"\bleft alone\b": "unchanged",
    r"\bso (is|are|does|do|has|have) (a|an|the|its|their|every|all)\b": "also, too",
    r"\bit is (that|which)\b": "name the thing",
    r"\bthings\b": "name the thing",
    r"\bby (itself|themselves)\b": "alone, separately",
    r"\b(to speak of|at hand|all round)\b": "negligible, present, around",
    r"\bstands? for\b": "represent",
    r"\bhangs? on\b": "be connected to",
    r"\bhow (far|fast|hard|long)\b": "distance, speed, duration",
    r"\bwho\b": "name the person or the part",
    r"(?-i:(?:^|(?<=[.] ))(Refused|Tuned|Missing|Left|Needed|Allowed|Given|Chosen) (is|are)\b)": "subject first",
    r"(?-i:\bwhat (it|they|the|a|an|is|was|no|one|must)\b)": "name the quantity or the part",
    r"\b(bags?|messages) of ROS\b": "ROS 2 bags, ROS 2 messages",
    r"\bmakers?\b": "manufacturer",
    r"\banother (number|order|size|sign|form|step|kind|unit|length)\b": "a different",
    r"\bleft out\b": "omitted, skipped",
    r"\b(alike|once more)\b": "in the same way, equal, again",
    r"\blargest way\b": "largest distance",
    r"\bsurvives? a kill\b": "resume after a crash",
    r"\b(thread|process|group|draws|seconds|words) of (its|their) own\b": "separate",
    r"\b(plant|scenario|browser|modules?|bus|simulation|process|side|lookup) (does not )?knows?\b": "state directly",
    r"\b(hangs?|hung|lies?) loose\b": "passive",
}
PATTERNS = [(re.compile(pattern, re.IGNORECASE), better) for pattern, better in PHRASES.items()]
CODE_SPAN = re.compile(r"`[^`]*`|\$[^$]+\$|\\\([^)]*\\\)")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!Fig\.)(?<!Eq\.)(?<!eq\.)(?<!cf\.)(?<!vs\.)(?<!Sec\.)[\s)\"'*]+"
)
BULLET = re.compile(r"\s*([-*+]|\d+\.)\s+")


class Finding(NamedTuple):
    """A place in a file that breaks a rule."""

    path: Path
    line: int
    rule: str
    text: str


def sentences(text: str) -> list[str]:
    """Split prose into sentences; code spans and formulas count as one word."""
    text = LINK.sub(r"\1", text)
    text = CODE_SPAN.sub("X", text)
    return [part.strip() for part in SENTENCE_END.split(" ".join(text.split())) if part.strip()]


def prose_findings(path: Path, line: int, text: str) -> Iterator[Finding]:
    """Check one paragraph of prose: length of sentences, colons, and words."""
    for sentence in sentences(text):
        words = [word for word in sentence.split() if re.search(r"\w", word)]
        if len(words) > LONGEST:
            yield Finding(path, line, f"{len(words)} words", sentence)
        if len(re.findall(r"[:;](?=\s|$)", sentence)) > 1:
            yield Finding(path, line, "more than one colon or semicolon", sentence)
    yield from word_findings(path, line, LINK.sub(r"\1", CODE_SPAN.sub("X", text)))


def word_findings(path: Path, line: int, text: str) -> Iterator[Finding]:
    """Check a text for phrases that the field does not use."""
    for pattern, better in PATTERNS:
        found = pattern.search(text)
        if found:
            yield Finding(path, line, f"{found.group(0)!r} -> {better}", " ".join(text.split())[:120])


def paragraphs(lines: list[str], first: int) -> Iterator[tuple[int, str]]:
    """Split text into paragraphs and list items; indented blocks are code and are left out."""
    gathered: list[str] = []
    start = first
    for number, line in enumerate([*lines, ""], first):
        code = line.startswith("    ") and not gathered
        if not line.strip() or code or BULLET.match(line):
            if gathered:
                yield start, "\n".join(gathered)
            gathered = []
        if line.strip() and not code:
            if not gathered:
                start = number
            gathered.append(BULLET.sub("", line))


def docstring_findings(path: Path, tree: ast.Module) -> Iterator[Finding]:
    """Check the docstrings of a module, its classes and its functions."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        text = ast.get_docstring(node)
        if not text:
            continue
        line = node.body[0].lineno
        first = text.split()[0].rstrip(",.:;")
        if CLAUSE.match(text):
            yield Finding(path, line, "clause as a subject", text.splitlines()[0])
        elif needs_verb(path, node) and first.lower() not in VERBS:
            yield Finding(path, line, "first word is not a verb of tools/verbs.txt", text.splitlines()[0])
        for start, paragraph in paragraphs(text.splitlines(), line):
            yield from prose_findings(path, start, paragraph)


def needs_verb(path: Path, node: ast.AST) -> bool:
    """Return whether a docstring starts with a verb: those of functions do, those of properties and tests need not."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or "tests" in path.parts:
        return False
    return not any("property" in ast.unparse(decorator) for decorator in node.decorator_list)


def string_findings(path: Path, tree: ast.Module) -> Iterator[Finding]:
    """Check attribute docstrings and messages for phrases."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and ast.get_docstring(node)
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in docstrings
            and " " in node.value
        ):
            yield from word_findings(path, node.lineno, CODE_SPAN.sub("X", node.value))


def field_findings(path: Path, tree: ast.Module) -> Iterator[Finding]:
    """Check that the docstring of a field starts with its quantity, as users read it in --help without the code."""
    for node in ast.walk(tree):
        body = node.body if isinstance(node, ast.ClassDef) and "tests" not in path.parts else []
        for field, text in itertools.pairwise(body):
            words = text.value.value if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) else None
            if isinstance(field, ast.AnnAssign) and isinstance(words, str) and FIELD_CLAUSE.match(words):
                yield Finding(path, text.lineno, "field described by a clause", words)


def comment_findings(path: Path, source: str) -> Iterator[Finding]:
    """Check comments for phrases and length."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield from prose_findings(path, token.start[0], token.string.lstrip("#! "))


def page_lines(text: str) -> list[str]:
    """Return the lines of a page with code, tables, formulas, headings and HTML blanked."""
    kept, fenced, formula = [], False, False
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            kept.append("")
            continue
        if line.strip().startswith("$$") and line.strip().count("$$") == 1:
            formula = not formula
            kept.append("")
            continue
        blank = fenced or formula or line.lstrip().startswith(("|", "#", "<", ":::", "!!!", "???", "$$"))
        kept.append("" if blank else line)
    return kept


def page_findings(path: Path, text: str) -> Iterator[Finding]:
    """Check a Markdown page: sentences of its prose, and words everywhere outside code."""
    for line, paragraph in paragraphs(page_lines(text), 1):
        yield from prose_findings(path, line, paragraph)
    for number, row in enumerate(text.splitlines(), 1):
        if row.lstrip().startswith(("|", "#")):
            yield from word_findings(path, number, LINK.sub(r"\1", CODE_SPAN.sub("X", row)))


def toml_findings(path: Path, text: str) -> Iterator[Finding]:
    """Check the comments of a TOML file; `serpenoid list` shows the first one."""
    lines = [line.lstrip("# ") if line.startswith("#") else "" for line in text.splitlines()]
    for line, paragraph in paragraphs(lines, 1):
        yield from prose_findings(path, line, paragraph)


def findings(path: Path) -> Iterator[Finding]:
    """Check one file by its ending."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".toml":
        yield from toml_findings(path, text)
        return
    if path.suffix == ".md":
        yield from page_findings(path, text)
        return
    tree = ast.parse(text)
    yield from docstring_findings(path, tree)
    yield from string_findings(path, tree)
    yield from field_findings(path, tree)
    yield from comment_findings(path, text)


def checked_files(names: list[str]) -> list[Path]:
    """Return the Python files, pages and TOML files below the named paths that git tracks or would track."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "--", *(names or ["."])],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    paths = [ROOT / name for name in listed.stdout.splitlines() if name.endswith((".py", ".md", ".toml"))]
    return [path for path in paths if path.is_file() and path != Path(__file__).resolve()]


def main() -> int:
    """Print the findings and their number; exit with 1 if there are any."""
    found = [finding for path in checked_files(sys.argv[1:]) for finding in findings(path)]
    for finding in found:
        print(f"{finding.path.relative_to(ROOT)}:{finding.line}: {finding.rule}: {finding.text[:140]}")
    print(f"{len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
