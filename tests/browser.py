"""Opens pages in a browser that has no network."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None  # type: ignore[assignment]

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
with_browser = pytest.mark.skipif(
    not CHROMIUM or sync_playwright is None, reason="Chromium or playwright is not installed"
)
CONTRAST = Path(__file__).with_name("contrast.js")
OFF = ("gpu", "quic", "background-networking", "component-update", "sync")
SWITCHES = ["--no-sandbox", "--no-first-run", *(f"--disable-{name}" for name in OFF)]


def wait_until(page: Any, script: str, seconds: float = 20.0) -> None:
    """Waits for what the page's policy lets nobody but an evaluation ask."""
    end = time.monotonic() + seconds
    while not page.evaluate(script):
        assert time.monotonic() < end, script
        page.wait_for_timeout(50)


def list_faint(page: Any) -> list[str]:
    """The texts of a page that stand out from their ground by less than WCAG's level AA asks."""
    found: list[str] = page.evaluate(CONTRAST.read_text("utf-8"))
    return found


@contextmanager
def open_page(file: Path) -> Iterator[Any]:
    """The page in a *file*; what it complains of is an error in the end."""
    with sync_playwright() as starter:
        browser = starter.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        try:
            page = browser.new_context(offline=True).new_page()
            errors: list[str] = []
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.on("console", lambda told: errors.append(told.text) if told.type == "error" else 0)
            page.goto(file.as_uri())
            yield page
            assert errors == []
        finally:
            browser.close()
