"""The documentation as a site: built without a warning, and read without another host."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.browser import CHROMIUM, SWITCHES, list_faint, sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Request

ROOT = Path(__file__).resolve().parent.parent.parent
LOADED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|object|embed)\b[^>]*?\b(?:src|srcset|data)=["']?
    (?:https?:)?//
    | <link\b(?![^>]*rel=["']?(?:canonical|next|prev))[^>]*href=["']?(?:https?:)?//
    | url\(["']?(?:https?:)?//
    | @import\s*["']?(?:https?:)?//""",
    re.X,
)
"""Addresses that a browser would load from elsewhere without being asked."""
OUTSIDE = re.compile(r"\]\((\w+:[^)\s]*)\)")
PAGES_READ = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])
PAGES = ("index.html", "first-hour.html", "reference/recipes.html", "guides/notebook.html")


def build(to: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(to)]
    env = os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def test_it_is_built_without_a_warning_and_asks_no_other_host(tmp_path: Path) -> None:
    """One test, since a build takes half a minute."""
    site = tmp_path / "site"
    built = build(site)
    assert built.returncode == 0, built.stderr[-3000:]
    for page in PAGES:
        assert (site / page).is_file(), page
    texts = {file: file.read_text("utf-8") for file in site.rglob("*.html")}
    for kind in ("html", "css", "svg"):
        for file in site.rglob(f"*.{kind}"):
            assert not LOADED.search(file.read_text("utf-8")), file
    assert not any("<!-- generated: " in text for text in texts.values())
    assert 'src="champion.html"' in texts[site / "index.html"]
    assert "choose(" in texts[site / "champion.html"]
    notebook = texts[site / "guides" / "notebook.html"]
    assert 'src="notebook_files/' in notebook
    if CHROMIUM and sync_playwright is not None:
        assert read_in_browser(site) == []


def read_in_browser(site: Path) -> list[str]:
    """Return the errors and foreign requests of a browser that reads pages and searches.

    It reads once from a server and in light colours, once from files and in dark ones.
    """
    quiet = type("Quiet", (SimpleHTTPRequestHandler,), {"log_message": lambda *given: None})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    own = f"http://127.0.0.1:{server.server_port}/"
    faults: list[str] = []
    with sync_playwright() as starter:
        browser = starter.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        for root, scheme in ((own, "light"), (f"{site.as_uri()}/", "dark")):
            view = browser.new_context(color_scheme=scheme).new_page()
            view.on("request", partial(_note_foreign, faults, root))
            view.on("pageerror", partial(_note_error, faults))
            view.on("console", partial(_note_error, faults))
            for page in PAGES:
                view.goto(root + page)
                view.wait_for_timeout(1000)  # scripts ask late; a wait for silence hung once
                faults += [f"{page}, {scheme}: {text}" for text in list_faint(view)]
            view.goto(f"{root}index.html")
            view.fill("input[name=query]", "min_step_size")
            view.press("input[name=query]", "End")  # what is typed is seen when a key goes up
            view.wait_for_selector(".md-search-result__item a", timeout=60_000)
            found = view.get_attribute(".md-search-result__item a", "href")
            faults += [] if "recipes.html" in str(found) else [f"search found {found}"]
        browser.close()
    server.shutdown()
    server.server_close()
    return faults


def _note_error(faults: list[str], told: object) -> None:
    if getattr(told, "type", "error") == "error":
        faults.append(str(told))


def _note_foreign(faults: list[str], root: str, asked: Request) -> None:
    if not asked.url.startswith((root, "data:", "blob:")):
        faults.append(asked.url)


def test_links_to_elsewhere_are_addresses() -> None:
    """No address is contacted: tests may have no network."""
    links = [link for page in PAGES_READ for link in OUTSIDE.findall(page.read_text("utf-8"))]
    assert links
    for link in links:
        parts = urlsplit(link)
        assert parts.scheme == "https", link
        assert re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", parts.netloc), link


LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)")
CODE = re.compile(r"^ *```.*?^ *```$", re.M | re.S)


def find_anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as hosts of repositories make them."""
    text = CODE.sub("", page.read_text("utf-8"))
    titles = re.findall(r"^#+ (.+?)\s*$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES_READ, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere_where_pages_are_read_as_files(page: Path) -> None:
    for target, anchor in LINK.findall(CODE.sub("", page.read_text("utf-8"))):
        file = (page.parent / target).resolve() if target else page
        assert file.exists(), target
        if anchor and file.suffix == ".md":
            assert anchor in find_anchors(file), f"{target}#{anchor}"


def test_notebooks_are_kept_without_their_output() -> None:
    books = list((ROOT / "docs").rglob("*.ipynb"))
    cells = [cell for book in books for cell in json.loads(book.read_text("utf-8"))["cells"]]
    assert books
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)


def test_what_is_loaded_from_elsewhere_is_seen() -> None:
    assert LOADED.search('<script src="https://x.org/a.js"></script>')
    assert LOADED.search("<link rel=stylesheet href=//fonts.org/a.css>")
    assert LOADED.search("a { background: url('https://x.org/a.png') }")
