"""A platform file to start from, short and complete: template.toml, filled in."""

from __future__ import annotations

import re
import string
from pathlib import Path

_FILE = Path(__file__).with_name("template.toml")
_RADIX = '{ value = 32, unit = "ports", state = "assumed", source = "data sheet of the switch" }'
# What [topology] says of each kind: a comment, extents, most nodes, and a line of its own.
TOPOLOGIES = {
    "torus": ("each node is joined to the next in 1 to 4 directions", [4, 4, 4], 4096, ""),
    "ring": ("each node is joined to two others", [8], 64, ""),
    "coupled-rings": ("two rings, each node also joined to its partner", [8, 2], 64, ""),
    "fat-tree": ("two levels of switches with `radix` ports", [64], 512, f"radix = {_RADIX}\n"),
    "all-to-all": ("a cable between any two nodes", [8], 64, ""),
}


def text(name: str, topology: str) -> str:
    """A file whose numbers are all assumed, and which runs as it is."""
    words, extents, most, own = TOPOLOGIES[topology]
    given = {"name": name, "kind": topology, "words": words}
    given |= {"extents": extents, "most": most, "own": own}
    return string.Template(_FILE.read_text()).substitute(given)


def like(name: str, file: Path) -> str:
    """The file of another machine under a new name."""
    first = _FILE.read_text().splitlines()[0]
    written = re.sub(r'(?m)^name = ".*"$', f'name = "{name}"', file.read_text(), count=1)
    return f"{first}\n{written.removeprefix(first).lstrip()}"
