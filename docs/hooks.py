"""Hooks of MkDocs that adapt pages to the site.

Tables in generated parts get a class that gives their columns room. Pages at the top of the
repository become pages of the site, and notebooks are executed.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
FROM_TOP = {
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    "security.md": "SECURITY.md",
    "code-of-conduct.md": "CODE_OF_CONDUCT.md",
}
"""Pages of the site, by their path there, that are stored at the top of the repository."""
CHAMPION = ROOT / "docs" / "champion.safetensors"
"""The champion of ``evolve start connect-four --seed 3``."""
PART = re.compile(r"^<!-- generated: \w+ -->\n(.*?)^<!-- end -->$", re.M | re.S)
LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
TABLE = re.compile(r"(?:^\|.*\n)+", re.M)
FEW_LETTERS = 30
"""Longest text in the last column of a table of figures; wider tables get room on small screens."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from the top of the repository, and execute notebooks."""
    for uri, name in FROM_TOP.items():
        text = LINK.sub(_lead_to_page, (ROOT / name).read_text("utf-8"))
        files.append(File.generated(config, uri, content=text))
    files.append(File.generated(config, "champion.html", content=export_champion()))
    for file in [file for file in files if file.src_uri.endswith(".ipynb")]:
        files.remove(file)
        for uri, content in execute_notebook(Path(str(file.abs_src_path)), file.src_uri):
            files.append(File.generated(config, uri, content=content))
    return files


def _lead_to_page(link: re.Match[str]) -> str:
    """Return a link as the site needs it; links to sources, which it does not have, become code."""
    label, target = link.groups()
    pages = {name: uri for uri, name in FROM_TOP.items()} | {"README.md": "index.md"}
    path, mark, place = target.partition("#")
    if path.startswith("docs/"):
        return f"[{label}]({target.removeprefix('docs/')})"
    if path in pages:
        return f"[{label}]({pages[path]}{mark}{place})"
    return f"`{label}`" if (ROOT / path).is_file() else link[0]


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Mark generated tables, and correct links to notebooks and to pages from the top.

    In the sources a link to a page from the top goes one folder higher than on the site.
    """
    text = PART.sub(lambda part: TABLE.sub(_mark_table, part[1]), markdown)
    up = "../" * page.file.src_uri.count("/")
    for uri, name in FROM_TOP.items():
        text = text.replace(f"](../{up}{name}", f"]({up}{uri}")
    return text.replace(".ipynb)", ".md)")


def _mark_table(found: re.Match[str]) -> str:
    last = [re.split(r"(?<!\\)\|", line)[-2].strip() for line in found[0].splitlines()]
    kind = "sentences" if any(len(cell) > FEW_LETTERS for cell in last) else "figures"
    return f'<div class="{kind}" markdown>\n\n{found[0]}\n</div>\n'


def export_champion() -> str:
    """Return the HTML page on which the champion plays, which the home page shows."""
    from evolve_arena.players.evolved import read_player_file
    from evolve_arena.runs.export import export_player

    return str(export_player(read_player_file(CHAMPION, "champion"), "html"))


def execute_notebook(path: Path, uri: str) -> Iterator[tuple[str, str | bytes]]:
    """Run a notebook in an empty folder; yield path and content of its page and its pictures."""
    import nbformat
    from nbclient import NotebookClient
    from nbconvert import MarkdownExporter

    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    folder = tempfile.mkdtemp()
    try:
        NotebookClient(
            notebook,
            timeout=600,
            resources={"metadata": {"path": folder}},
            extra_arguments=["--log-level=ERROR"],
        ).execute()
    finally:
        shutil.rmtree(folder)
    stem = path.stem
    text, resources = MarkdownExporter().from_notebook_node(
        notebook, {"unique_key": stem, "output_files_dir": f"{stem}_files"}
    )
    folder_uri = uri.rpartition("/")[0]
    yield uri.removesuffix(".ipynb") + ".md", text
    for name, content in resources["outputs"].items():
        yield f"{folder_uri}/{name}", content
