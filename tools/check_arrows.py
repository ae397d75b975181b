"""Checks that includes point down only: a room may include itself and the rooms below it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

# Each room with the rooms that its files may include, beside itself.
BELOW = {
    "base": (),
    "machine": ("base",),
    "measure": ("base", "machine"),
    "io": ("base", "machine"),
    "netsim": ("base",),
    "gpu": ("base", "machine"),
    "rma": ("base", "machine", "gpu"),
    "transport": ("base", "machine", "netsim", "rma"),
    "device": ("base", "machine", "gpu", "rma"),
    "lattice": ("base", "machine", "rma"),
    "gauge": ("base", "machine", "rma", "io", "lattice"),
    "reference": ("base", "machine", "rma", "lattice", "gauge"),
    "dirac": ("base", "machine", "rma", "device", "lattice", "gauge", "reference"),
    "cuda": ("base", "gpu", "device", "lattice", "dirac"),
    "solver": ("base", "machine", "rma", "device", "lattice", "gauge", "reference", "dirac"),
    "benchmarks": (
        *("base", "machine", "netsim", "gpu", "rma", "transport", "measure"),
        *("device", "lattice", "gauge", "reference", "dirac", "solver"),
    ),
}
# The room that a public header belongs to.
HEADERS = {
    "error": "base",
    "machine": "machine",
    "adversary": "transport",
    "alltoall": "rma",
    "collectives": "rma",
    "context": "rma",
    "launch": "rma",
    "put": "rma",
    "put_chain": "rma",
    "streaming": "rma",
    "trace": "rma",
    "window": "rma",
    "geometry": "lattice",
    "gauge_field": "gauge",
    "gauge_observables": "gauge",
    "improved_links": "gauge",
    "smearing": "gauge",
    "dirac_operator": "dirac",
    "propagator": "solver",
    "meson": "solver",
    "source": "solver",
}
INCLUDE = re.compile(
    r'^\s*#\s*include\s*["<]([a-z_]+)/([a-z_/0-9]+)\.(?:hpp|cuh)[">]', re.MULTILINE
)


def room_of(path: Path, root: Path) -> str | None:
    parts = path.relative_to(root).parts
    if parts[0] == "src":
        return parts[1]
    if parts[0] in ("reference", "benchmarks"):
        return parts[0]
    return HEADERS.get(path.stem) if parts[:2] == ("include", "onehop") else None


def faults(path: Path, root: Path) -> list[str]:
    """One line per include that points up, or to a room that is not in the tables."""
    here = path.relative_to(root)
    room = room_of(path, root)
    if room not in BELOW:
        return [f"{here}: belongs to no room of tools/check_arrows.py"]
    found = []
    for folder, name in INCLUDE.findall(path.read_text()):
        target = HEADERS.get(name) if folder == "onehop" else folder
        if target not in BELOW:
            found.append(f"{here}: includes {folder}/{name}.hpp, of no known room")
        elif target not in (room, *BELOW[room]):
            found.append(f"{here}: {room} may not include {folder}/{name}.hpp, of {target}")
    return found


def main() -> int:
    root = Path(__file__).resolve().parent.parent
    folders = ("src", "reference", "benchmarks", "include")
    kinds = (".hpp", ".cpp", ".cu", ".cuh")
    files = [p for d in folders for p in sorted((root / d).rglob("*")) if p.suffix in kinds]
    lines = [line for path in files for line in faults(path, root)]
    print("\n".join(lines) if lines else f"{len(files)} files, all includes point down")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
