"""How exported Python files are put together: from sections of templates that tools can check."""

from __future__ import annotations

import ast
import base64
import re
import textwrap
from collections.abc import Mapping
from pathlib import Path

RULE = re.compile(r"^# --- (.+?) -+\n", re.MULTILINE)
WIDTH = 96


def assemble(docstring: str, templates: tuple[str, ...], sections: Mapping[str, str]) -> str:
    """The source of a file with these *sections*, and what they import of the *templates*."""
    rules = "".join(f"{_rule(title)}{text}" for title, text in sections.items())
    imports = _merge_imports(templates, rules)
    return f'#!/usr/bin/env python3\n"""{docstring}"""\n\n{imports}\n{rules}'


def read_template(path: Path) -> str:
    """The text of a file with sections to cut."""
    return path.read_text(encoding="utf-8")


def cut(template: str) -> dict[str, str]:
    """The sections of a *template*, each without its ruled line, by their titles."""
    parts = RULE.split(template)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def wrap(text: str, indent: str = "") -> str:
    """The *text* in lines, of which those after the first are indented."""
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)


def write_name(name: str) -> str:
    """The *name* of a player as a docstring can hold it."""
    return ascii(" ".join(name.split()))[1:-1].replace('"', "'")


def write_base64(data: bytes) -> str:
    """The *data* as lines of text."""
    return base64.encodebytes(data).decode("ascii")


def _rule(title: str) -> str:
    return f"# --- {title} ".ljust(92, "-") + "\n"


def _merge_imports(templates: tuple[str, ...], source: str) -> str:
    """The imports of all *templates* that the *source* needs, but for those of each other."""
    used = set(re.findall(r"\w+", source))
    modules: set[str] = set()
    names: dict[str, set[str]] = {}
    for node in (node for template in templates for node in ast.parse(template).body):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names if alias.name in used)
        elif isinstance(node, ast.ImportFrom) and not (node.module or "").startswith(
            "evolve_arena."
        ):
            names.setdefault(node.module or "", set()).update(alias.name for alias in node.names)
    future = f"from __future__ import {', '.join(names.pop('__future__'))}\n\n"
    names = {module: names[module] & used for module in names if names[module] & used}
    lines = [f"import {module}" for module in sorted(modules)]
    lines += [
        f"from {module} import {', '.join(sorted(names[module]))}" for module in sorted(names)
    ]
    return future + "\n".join(lines) + "\n"
