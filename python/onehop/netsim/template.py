"""A platform file to start from, short and complete: template.toml, filled in."""

import re
import string
from pathlib import Path

_FILE = Path(__file__).with_name("template.toml")
_RADIX = '{ value = 32, unit = "ports", state = "assumed", source = "data sheet of the switch" }'


def _own(**numbers: int | list[int]) -> str:
    """Returns lines of keys whose numbers are assumed."""
    source = 'unit = "1", state = "assumed", source = "data sheet of the network"'
    return "".join(f"{key} = {{ value = {n}, {source} }}\n" for key, n in numbers.items())


_GROUPS = 'arrangement = "palmtree"\n'
# What [topology] says of each kind: a comment, extents, most nodes, and a line of its own.
TOPOLOGIES = {
    "torus": ("each node is joined to the next in 1 to 8 directions", [4, 4, 4], 4096, ""),
    "mesh": ("a torus whose rings are not closed", [4, 4, 4], 4096, ""),
    "ring": ("each node is joined to two others", [8], 64, ""),
    "coupled-rings": ("two rings, each node also joined to its partner", [8, 2], 64, ""),
    "fat-tree": ("two levels of switches with `radix` ports", [64], 512, f"radix = {_RADIX}\n"),
    "dragonfly": (
        "p nodes on a switch, a switches in a group, h global ports, g groups",
        [72],
        72,
        _GROUPS + _own(p=2, a=4, h=2, g=9),
    ),
    "dragonfly+": (
        "p nodes on a leaf, groups of leaves and spines with h global ports",
        [64],
        64,
        _GROUPS + _own(p=4, leaves=4, spines=4, h=3, g=4),
    ),
    "hyperx": (
        "switches on a lattice S, each joined to all others along an axis",
        [64],
        64,
        _own(S=[4, 4], T=4),
    ),
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
