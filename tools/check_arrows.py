"""Checks that arrows point down only: a library of C++ may include itself and the libraries below
it, an application onehop's public headers, its own files and apps/common, and modules of Python
import in one direction, those of the command line last."""

from __future__ import annotations

import ast
import graphlib
import re
import sys
from pathlib import Path

# Each library may include itself and these.
BELOW = {
    "base": (),
    "machine": ("base",),
    "measure": ("base", "machine"),
    "io": ("base", "machine"),
    "netsim": ("base",),
    "device/driver": ("base", "machine"),
    "transport/base": ("base", "machine"),
    "rma": ("base", "machine", "transport/base"),
    "transport": ("base", "machine", "netsim", "device/driver", "transport/base", "rma"),
    "c": ("base", "machine", "transport/base", "rma"),
    "mpi": ("base", "machine", "device/driver", "transport/base", "rma"),
    "qmp": ("base", "mpi"),
    "mpi_fortran": ("mpi",),
    "recorder": ("base", "mpi"),
    "device": ("base", "machine", "device/driver", "transport/base", "rma"),
    "lattice": ("base", "machine", "rma"),
    "gauge": ("base", "machine", "rma", "io", "lattice"),
    "reference": ("base", "machine", "rma", "lattice", "gauge"),
    "dirac": ("base", "machine", "rma", "device", "lattice", "gauge", "reference"),
    "device/cuda": ("base", "device/driver", "device", "lattice", "dirac"),
    "tuning": ("base", "machine", "rma", "device", "lattice", "gauge", "dirac"),
    "solver": (
        *("base", "machine", "rma", "device", "lattice", "gauge", "reference", "dirac", "tuning"),
    ),
    "benchmarks": (
        *("base", "machine", "netsim", "device/driver", "transport/base", "rma", "transport"),
        *("measure", "device", "lattice", "gauge", "reference", "dirac", "tuning", "solver"),
    ),
}
# A public header belongs to this library.
HEADERS = {
    "detail/language": "base",
    "error": "base",
    "random": "base",
    "machine": "machine",
    "scidac_slices": "io",
    "adversary": "transport",
    "alltoall": "rma",
    "cartesian": "rma",
    "collective_stream": "rma",
    "collectives": "rma",
    "reduction": "rma",
    "communicator": "rma",
    "context": "rma",
    "halo_exchange": "rma",
    "halo_field": "rma",
    "idle": "rma",
    "launch": "rma",
    "mpi": "rma",
    "kernel_cost": "transport/base",
    "put": "transport/base",
    "put_chain": "rma",
    "persistent_collective": "rma",
    "stream": "rma",
    "trace": "rma",
    "window": "rma",
    "geometry": "lattice",
    "exact_sum": "lattice",
    "gauge_field": "gauge",
    "gauge_fixing": "gauge",
    "gauge_observables": "gauge",
    "gauge_slices": "gauge",
    "improved_links": "gauge",
    "quark_smearing": "gauge",
    "smearing": "gauge",
    "dirac_operator": "dirac",
    "solver_options": "dirac",
    "tuning": "tuning",
    "solve_report": "solver",
    "propagator": "solver",
    "baryon": "solver",
    "meson": "solver",
    "source": "solver",
}
# These are headers of other projects' libraries.
FOREIGN = ("nlohmann",)
INCLUDE = re.compile(
    r'^\s*#\s*include\s*["<]([a-z_]+)/([a-z_/0-9]+)\.(?:hpp|cuh)[">]', re.MULTILINE
)
ANY_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def room_in(folders: list[str]) -> str:
    """Returns the library of a file in folders of src: that of the deepest folder that is a
    library."""
    return max(
        ("/".join(folders[:n]) for n in (1, 2)),
        key=lambda library: (library in BELOW, len(library)),
    )


def library_of(path: Path, root: Path) -> str | None:
    parts = path.relative_to(root).with_suffix("").parts
    if parts[0] == "src":
        return room_in(list(parts[1:-1]))
    if parts[0] in ("reference", "benchmarks"):
        return parts[0]
    return HEADERS.get("/".join(parts[2:])) if parts[:2] == ("include", "onehop") else None


def faults(path: Path, root: Path) -> list[str]:
    """Returns one line per include that points up, or to a library that is not in the tables."""
    here = path.relative_to(root)
    library = library_of(path, root)
    if library not in BELOW:
        return [f"{here}: belongs to no library of tools/check_arrows.py"]
    found = []
    for folder, name in INCLUDE.findall(path.read_text()):
        if folder in FOREIGN:
            continue
        folders = [folder, *name.split("/")[:-1]]
        target = HEADERS.get(name) if folder == "onehop" else room_in(folders)
        if target not in BELOW:
            found.append(f"{here}: includes {folder}/{name}.hpp, of no known library")
        elif target not in (library, *BELOW[library]):
            found.append(f"{here}: {library} may not include {folder}/{name}.hpp, of {target}")
    return found


# The headers of POSIX sockets, which C++ has nothing for.
SYSTEM = ("immintrin.h", "netinet/in.h", "sys/mman.h", "sys/socket.h", "unistd.h")


def app_faults(path: Path, root: Path) -> list[str]:
    """Returns one line per include of an application that is neither public, nor its own, nor of
    apps/common, nor the standard library's, nor of sockets, memory and vectors; its tests may have
    Boost.Test too."""
    here = path.relative_to(root)
    own = root / "apps" / here.parts[1]
    found = []
    for quote, name in ANY_INCLUDE.findall(path.read_text()):
        if quote == '"':
            right = (path.parent / name).is_file() and own in (path.parent / name).resolve().parents
        elif name in SYSTEM:
            right = True
        elif "/" not in name:
            right = not name.endswith((".hpp", ".h"))
        else:
            folder, _, rest = name.partition("/")
            is_test = "tests" in here.parts
            right = (
                (folder == "onehop" and Path(rest).stem in HEADERS)
                or (folder == "common" and (root / "apps" / name).is_file())
                or (is_test and folder == "boost")
                or (is_test and folder == own.name and (own / rest).is_file())
            )
        if not right:
            found.append(f"{here}: includes {name}, which is no public header of onehop")
    return found


def imports(path: Path, known: set[str]) -> set[str]:
    """Returns those of the known modules that a file imports, be it within a function or for types
    only."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                within = f"{node.module}.{name.name}"
                found.add(within if within in known else node.module)
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return found & known


def module_of(path: Path, package: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def python_faults(package: Path) -> list[str]:
    """Returns one line for a circle of imports, and one per module below that imports the command
    line."""
    modules = {module_of(path, package): path for path in sorted(package.rglob("*.py"))}
    arrows = {name: imports(path, set(modules)) - {name} for name, path in modules.items()}
    # The package's own file gathers what is below it.
    del arrows[package.name]
    command_line = f"{package.name}.cli"
    lines = [
        f"{name}: imports {target}, of the command line"
        for name, targets in arrows.items()
        for target in sorted(targets)
        if target.startswith(command_line)
        and not name.startswith((command_line, f"{package.name}.__main__"))
    ]
    try:
        graphlib.TopologicalSorter(arrows).prepare()
    except graphlib.CycleError as error:
        lines.append("imports in a circle: " + " <- ".join(error.args[1]))
    return lines


def main() -> int:
    root = Path(__file__).resolve().parent.parent
    folders = ("src", "reference", "benchmarks", "include")
    kinds = (".hpp", ".cpp", ".cu", ".cuh")
    files = [p for d in folders for p in sorted((root / d).rglob("*")) if p.suffix in kinds]
    lines = [line for path in files for line in faults(path, root)]
    apps = [p for p in sorted((root / "apps").rglob("*")) if p.suffix in kinds]
    lines += [line for path in apps for line in app_faults(path, root)]
    files += apps
    lines += python_faults(root / "python" / "onehop")
    print("\n".join(lines) if lines else f"{len(files)} files of C++, all arrows point down")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
