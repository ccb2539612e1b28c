"""The words of docstrings, help texts and messages: standard terms in plain sentences.

``python tests/test_words.py PATH...`` prints the findings in these files or folders.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

LAYERS = ["core", "genomes", "players", "arena", "evolve", "runs", "cli", "web", "games", "studies"]
MAX_BARE = 2
"""Number of parameters that a public function may have without a section ``Args:``."""
ROOT = Path(__file__).resolve().parent.parent
OPENING = re.compile(r"(what|who|whom|whose|which|how|whether)\b", re.IGNORECASE)
"""Words that open a free relative clause; a question may begin with them."""
BANNED = re.compile(
    r"\b(is no key|on end|who values positions|goes on end|face lost|knows nothing of|sit at every"
    r" other seat|of \d+ moves plays one|lies there|bears no|nothing bears)\b"
)
"""Phrases of a dialect that readers have to read twice."""


BANNED_NAMES = re.compile(
    r"BredPlayer|BoardView|FOR_PAIRS|Judgement|MOST_\w+|Pupil|Seatings|Voyage|Work|bred|face_lost"
    r"|judgement|mutation_strength|newcomers|pupil|sail|seatings|thaw|trial_decks|company|wires"
)
"""Names that the field's terms have replaced; see CONTRIBUTING.md."""


def find_texts(source: str) -> Iterator[tuple[int, str]]:
    """Yield docstrings, texts below attributes, help texts and messages, with their lines."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            if isinstance(node.value.value, str):
                yield node.lineno, node.value.value
        elif isinstance(node, ast.keyword) and node.arg == "help":
            yield from _find_beginning(node.value)
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            for argument in node.exc.args:
                yield from _find_beginning(argument)


def _find_beginning(node: ast.expr) -> Iterator[tuple[int, str]]:
    """Yield the beginning of a text, as far as it is constant."""
    if isinstance(node, ast.JoinedStr) and node.values:
        node = node.values[0]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.lineno, node.value


def find_faults(source: str) -> list[str]:
    """Return a line for each text that begins with a relative clause or has a banned phrase."""
    faults = []
    for line, text in find_texts(source):
        first = " ".join(text.strip().split("\n\n")[0].split())
        if OPENING.match(first) and not first.endswith("?"):
            faults.append(f"{line}: opens with a relative clause: {first[:70]}")
        found = BANNED.search(" ".join(text.split()))
        if found:
            faults.append(f"{line}: {found[0]!r} is not to be used: {first[:70]}")
    return faults


def find_undocumented(source: str) -> list[str]:
    """Return a line for each public function of three parameters or more without ``Args:``."""
    faults = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
            continue
        given = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        names = [each.arg for each in given if each.arg not in {"self", "cls"}]
        text = ast.get_docstring(node)
        is_command = any("typer." in ast.unparse(each.annotation or node) for each in given)
        if len(names) > MAX_BARE and text and "Args:" not in text and not is_command:
            faults.append(f"{node.lineno}: {node.name} has no 'Args:' for {', '.join(names)}")
    return faults


def find_files(*paths: str) -> list[Path]:
    """Return the Python files below *paths*, as far as they are part of the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "--", *paths],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    names = (ROOT / name for name in listed.stdout.splitlines() if name.endswith(".py"))
    return [path for path in names if path.is_file() and not path.is_symlink()]


def find_names(source: str) -> list[str]:
    """Return a line for each definition or attribute with a name that was replaced."""
    found = []
    for node in ast.walk(ast.parse(source)):
        name = getattr(node, "name", None) or getattr(node, "attr", None) or getattr(node, "id", "")
        if isinstance(name, str) and BANNED_NAMES.fullmatch(name):
            found.append(f"{getattr(node, 'lineno', 0)}: the name {name!r} is not to be used")
    return found


def find_all(*paths: str) -> list[str]:
    """Return the faults of all files below *paths*, each with its file and line."""
    found = []
    for file in find_files(*paths):
        name, source = file.relative_to(ROOT), file.read_text(encoding="utf-8")
        faults = find_faults(source)
        # Rules are told by players/board/example.py; templates are parts of exported bots.
        is_rules = name.parts[0] == "games" and "\ndef legal(" in source
        if name.parts[0] in LAYERS and "templates" not in name.parts and not is_rules:
            faults += find_undocumented(source)
        if "templates" not in name.parts:
            faults += find_names(source)
        found += [f"{name}:{fault}" for fault in faults]
    return found


def test_docstrings_and_messages_are_plain_sentences() -> None:
    assert find_all(".") == []


if __name__ == "__main__":
    print("\n".join(find_all(*sys.argv[1:])))
