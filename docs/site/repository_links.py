"""Pages of the repository as pages of the site: tables of contents, and links to folders and
headers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.addnodes import download_reference, pending_xref

if TYPE_CHECKING:
    from sphinx.application import Sphinx


# Of pages on a folder whose folders have pages of their own.
FOLDERS = ("apps/README", "examples/README")
# Of folders without one, and of headers, what the site has instead.
PAGE_OF = {
    "include/onehop": "docs/site/cpp/index",
    "include/onehop.h": "docs/site/c/index",
    "include/onehop.f90": "docs/site/c/fortran",
    "python/onehop": "docs/site/python/index",
}
PAGES_BELOW = """
```{toctree}
:hidden:
:glob:

*/README
```
"""


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", add_contents)
    app.connect("doctree-read", link_folders)
    return {"parallel_read_safe": True}


def add_contents(app: Sphinx, page: str, source: list[str]) -> None:
    """What pages of the repository say by their links, the site's navigation is told so."""
    if page == app.config.root_doc:
        source[0] += (Path(app.confdir) / "contents.md").read_text()
    elif page in FOLDERS:
        source[0] += PAGES_BELOW


def link_folders(app: Sphinx, page: nodes.document) -> None:
    """A folder of the repository, or a header, leads to its page; a folder without one is named
    only."""
    here = app.env.docname
    folder_of_page = Path(app.env.doc2path(here)).parent
    root = Path(app.srcdir).resolve()
    for link in [*page.findall(pending_xref), *page.findall(download_reference)]:
        target = (folder_of_page / link.get("reftarget", "")).resolve()
        if link.get("reftype") != "myst" or not target.is_relative_to(root):
            continue
        path = target.relative_to(root).as_posix()
        if not target.is_dir() and path not in PAGE_OF:
            continue
        text = nodes.inline("", "", *link.children)
        name = PAGE_OF.get(path, f"{path}/README")
        if name in app.env.found_docs:
            uri = app.builder.get_relative_uri(here, name)
            text = nodes.reference("", "", *link.children, internal=True, refuri=uri)
        link.replace_self(text)
