"""Pages of the repository as pages of the site: tables of contents, and links to folders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.addnodes import pending_xref

if TYPE_CHECKING:
    from sphinx.application import Sphinx


# Of pages on a folder whose folders have pages of their own.
FOLDERS = ("apps/README", "examples/README")
# Of folders without one, what the site has instead.
PAGE_OF = {"include/onehop": "docs/site/cpp/index", "python/onehop": "docs/site/python/index"}
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
    """A folder of the repository leads to its page; without one it is named only."""
    here = app.env.docname
    folder_of_page = Path(app.env.doc2path(here)).parent
    for link in list(page.findall(pending_xref)):
        folder = (folder_of_page / link.get("reftarget", "")).resolve()
        if link.get("reftype") != "myst" or not folder.is_dir():
            continue
        text = nodes.inline("", "", *link.children)
        folder = folder.relative_to(Path(app.srcdir).resolve()).as_posix()
        name = PAGE_OF.get(folder, f"{folder}/README")
        if name in app.env.found_docs:
            uri = app.builder.get_relative_uri(here, name)
            text = nodes.reference("", "", *link.children, internal=True, refuri=uri)
        link.replace_self(text)
