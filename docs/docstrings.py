"""Docstrings as the site shows them: examples are code, and roles of reStructuredText are gone."""

from __future__ import annotations

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"^>>> .*?(?=\n\s*\n|\Z)", re.M | re.S)
ROLE = re.compile(r":(?:attr|class|data|func|meth|mod):(?=`)")


class Docstrings(griffe.Extension):
    """Changes each docstring as it is loaded."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Writes fences around examples, so that they are not read as quotations."""
        if obj.docstring:
            text = ROLE.sub("", obj.docstring.value.replace("``", "`"))
            obj.docstring.value = EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", text)
