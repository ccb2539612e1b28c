"""Pages in a browser that has no network."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

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


def wait_until(page: Page, script: str, seconds: float = 20.0) -> None:
    """Wait for a condition that the page's policy allows only evaluations to test."""
    end = time.monotonic() + seconds
    while not page.evaluate(script):
        assert time.monotonic() < end, script
        page.wait_for_timeout(50)


def list_faint(page: Page) -> list[str]:
    """Return the texts of a page with less contrast than WCAG's level AA asks."""
    found: list[str] = page.evaluate(CONTRAST.read_text("utf-8"))
    return found


@contextmanager
def open_page(file: Path) -> Iterator[Page]:
    """Yield the page in a *file*; fail in the end if it reported errors."""
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
