"""The site of `make site`, from the pages of the repository as they are: Sphinx, opened from a
folder without a server or a network."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))

import onehop  # noqa: E402

project = "onehop"
author = "The onehop developers"
copyright = author
version = release = onehop.__version__

root_doc = "README"
include_patterns = [
    "*.md",
    "src/README.md",
    "docs/**",
    "examples/**.md",
    "apps/**.md",
    "experiments/**.md",
]
exclude_patterns = ["build*", ".*", "docs/site/contents.md"]
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "repository_links",
    "cpp_header",
    "c_header",
    "plain_comment",
]

# Notebooks are shown as they are in the repository; `make docs` runs them.
nb_execution_mode = "off"
myst_heading_anchors = 4
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
autodoc_preserve_defaults = True
default_role = "code"
smartquotes = False
highlight_language = "none"
add_module_names = False
toc_object_entries_show_parents = "hide"

# The index of names has the modules too.
html_domain_indices = False
html_theme = "furo"
html_title = f"onehop {release}"
html_extra_path = ["index.html"]
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
