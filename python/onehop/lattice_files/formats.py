"""Chooses and recognises the formats of files, by what they hold."""

import dataclasses
import stat
from pathlib import Path

from onehop import _core
from onehop._core import FileError, UsageError
from onehop.lattice_files.sliced_array import HDF5_MAGIC, NPY_MAGIC
from onehop.nearest import nearest

GAUGE, PROPAGATOR, CORRELATORS = "gauge field", "propagator", "correlators"
EIGENVECTORS, LINK_FIELDS = "set of eigenvectors", "set of link fields"
KINDS = (GAUGE, PROPAGATOR, CORRELATORS, EIGENVECTORS, LINK_FIELDS)
# HDF5 files have these datasets.
DATASETS = {
    GAUGE: "links",
    PROPAGATOR: "propagator",
    CORRELATORS: "correlators",
    EIGENVECTORS: "eigenvectors",
    LINK_FIELDS: "link_fields",
}

_LINKS = (
    "Complex numbers (4, T, Z, Y, X, 3, 3): direction x, y, z, t, then the site, row, column, as "
    "onehop.Gauge.links has them; U_mu(x) takes colour from x+mu to x. Links in SU(3), no phases "
    "or boundary signs in them; periodic."
)
_SPINORS = (
    "Complex numbers (source, T, Z, Y, X, spin, colour), staggered (source, T, Z, Y, X, colour), "
    "as onehop solve --out has them: solutions of M x = b in mass normalisation, M = m + ..., "
    "source number spin*3+colour (staggered colour) for a point or wall; spin basis DeGrand-"
    "Rossi, gamma_5 = diag(1,1,-1,-1). The boundary sign is in M, not in the numbers."
)
_SCIDAC_LAYOUT = (
    "Sites lexicographic, x fastest, then y, z, t. Big-endian, single or double; SciDAC checksum "
    "(crc32 of each site) of each field."
)
_SCIDAC_STAGGERED = (
    "Staggered: a colour vector for each colour of the source, with fields of the source before "
    "them as USQCD's types have it (MILC); or any number of colour vectors in one field or in "
    "several; in the normalisation and with the phases of the program that wrote them."
)
_SCIDAC_PROPAGATOR = (
    "Wilson: one field (QIO) of 4x4 spin matrices of 3x3 colour matrices, rows the sink's, columns "
    "the source's, as QDP++ and Chroma have LatticePropagator: solutions of M x = b in mass "
    "normalisation, M = m + ..., for 12 sources; spin basis DeGrand-Rossi, gamma_5 = "
    f"diag(1,1,-1,-1). The boundary sign is in M, not in the numbers. {_SCIDAC_STAGGERED} "
    f"{_SCIDAC_LAYOUT}"
)
_EIGENVECTORS = (
    "Colour vectors v_n of a staggered operator, as complex numbers (n, T, Z, Y, X, colour), each "
    "with a real eigenvalue: of -D^2 = D^+ D where MILC wrote them, whose D is twice onehop's "
    "massless M and has eta_t = 1, eta_x = (-1)^t, eta_y = (-1)^(t+x), eta_z = (-1)^(t+x+y)."
)
_LINK_FIELDS = (
    "Several fields of four 3x3 matrices at each site, mu = x, y, z, t, each by rows: fat and long "
    "links, for instance, which need not be in SU(3), with the phases and boundary signs that they "
    "had."
)
_TIMES = (
    "Complex numbers (correlator, t) of a record of onehop solve, t counted from the source: pion, "
    "the sum over x and over spin and colour of source and sink of |S(x,t;source)|^2, mesons named "
    "structure@n_x,n_y,n_z at momentum p_i = 2 pi n_i / L_i, and baryons with the sign of their "
    "parity before the @; mass normalisation, no volume factor: see the record's conventions."
)
_TABLE = "A line for each t, columns real and imaginary by turns, so many digits that none is lost."
_HDF5 = "Each chunk has Fletcher's checksum; the attributes hold these conventions."
_NPY = "Little-endian; no checksum, and no room for these words."


@dataclasses.dataclass(frozen=True)
class FileFormat:
    """name          as on the command line
    suffixes         of file names, the usual one first
    conventions      what the numbers are, in words
    precisions       in bits
    """

    name: str
    suffixes: tuple[str, ...]
    conventions: str
    precisions: tuple[int, ...] = (32, 64)
    has_two_rows: bool = False
    has_checksum: bool = True


def _arrays(conventions: str) -> list[FileFormat]:
    return [
        FileFormat("HDF5", (".h5", ".hdf5"), f"{conventions} {_HDF5}"),
        FileFormat("npy", (".npy",), f"{conventions} {_NPY}", has_checksum=False),
    ]


def _lattice_formats() -> list[FileFormat]:
    """Returns the formats of lattice programs, which C++ reads and writes."""
    return [
        FileFormat(
            f.name,
            tuple(f.suffixes),
            f.conventions,
            tuple(f.precisions),
            f.has_two_rows,
            f.has_checksum,
        )
        for f in sorted(_core.gauge_formats(), key=lambda f: f.name.lower())
    ]


def formats(kind: str) -> list[FileFormat]:
    """Returns the formats that files of this kind can have."""
    if kind == GAUGE:
        return _lattice_formats() + _arrays(_LINKS)
    if kind == CORRELATORS:
        return [
            FileFormat("text", (".txt", ".dat"), f"{_TIMES} {_TABLE}", (64,), has_checksum=False),
            *(dataclasses.replace(f, precisions=(64,)) for f in _arrays(_TIMES)),
        ]
    if kind == EIGENVECTORS:
        # There is no room for eigenvalues in .npy.
        return [
            _scidac(f"{_EIGENVECTORS} A field for each. {_SCIDAC_LAYOUT}"),
            _arrays(_EIGENVECTORS)[0],
        ]
    if kind == LINK_FIELDS:
        return [_scidac(f"{_LINK_FIELDS} {_SCIDAC_LAYOUT}"), *_arrays(_LINK_FIELDS)]
    return [_scidac(_SCIDAC_PROPAGATOR), *_arrays(_SPINORS)]


def _scidac(conventions: str) -> FileFormat:
    return FileFormat("SciDAC", (".scidac", ".qio"), conventions)


def format_names() -> tuple[str, ...]:
    """Returns all names that can be given, in small letters."""
    return tuple(dict.fromkeys(f.name.lower() for kind in KINDS for f in formats(kind)))


def choose_format(kind: str, path: str, name: str | None) -> FileFormat:
    """Returns the format for a new file: by its name, unless that is given. Raises UsageError."""
    known = formats(kind)
    what = kind if kind == CORRELATORS else f"a {kind}"
    if name is not None:
        found = [f for f in known if f.name.lower() == name.lower()]
        if found:
            return found[0]
        hint = nearest(name, [f.name.lower() for f in known]) or f"; they are {_listed(known)}"
        raise UsageError(f"{what} cannot be written as {name}{hint}")
    ending = Path(path).suffix.lower()
    for one in known:
        if ending in one.suffixes:
            return one
    endings = ", ".join(f"{f.suffixes[0]} ({f.name})" for f in known)
    raise UsageError(
        f"{path}: its name does not tell a format for {what}: give --format or {endings}"
    )


def links_format(path: str, *, precision_bits: int = 0) -> str:
    """Returns the format, in small letters, of links that a job writes to a file of this name:
    that of its suffix, or else NERSC. Raises UsageError for the suffix of a format that only
    `convert` writes, or that lacks this precision."""
    ending = Path(path).suffix.lower()
    for one in formats(GAUGE):
        if ending not in one.suffixes:
            continue
        if one not in _lattice_formats():
            raise UsageError(
                f"{path}: links are not written as {one.name} here; write a .nersc or .ildg file, "
                f"which onehop convert makes {one.name} of"
            )
        if precision_bits not in (0, *one.precisions):
            raise UsageError(
                f"{path}: {one.name} has no {precision_bits} bits, without which links do not keep "
                "every bit; give another suffix"
            )
        return one.name.lower()
    return "nersc"


def check_array_name(path: str) -> None:
    """Raises UsageError for the name of a propagator that a job writes as .npy, if its suffix is
    that of another format."""
    ending = Path(path).suffix.lower()
    for one in formats(PROPAGATOR):
        if one.name != "npy" and ending in one.suffixes:
            raise UsageError(
                f"{path}: the propagator is not written as {one.name} here; write a .npy file, "
                f"which onehop convert makes {one.name} of"
            )


def _listed(known: list[FileFormat]) -> str:
    return ", ".join(f.name.lower() for f in known)


def first_bytes(path: str, count: int = 8) -> bytes:
    """Returns the first bytes of a file. Raises FileError."""
    try:
        # Opening a named pipe would wait for a writer.
        if not stat.S_ISREG(Path(path).stat().st_mode):
            what = "a folder" if Path(path).is_dir() else "not a regular file"
            raise FileError(f"{path}: is {what}; give a file that holds a field")
        with Path(path).open("rb") as file:
            return file.read(count)
    except FileError:
        raise  # An OSError too, which says it better.
    except OSError as error:
        raise FileError(
            f"{path}: cannot be opened: {error.strerror}; check the name and its permissions"
        ) from None


def container_of(path: str) -> str | None:
    """Returns HDF5 or npy, or None for a format of lattice programs, which C++ distinguishes."""
    start = first_bytes(path)
    if start.startswith(NPY_MAGIC):
        return "npy"
    return "HDF5" if start.startswith(HDF5_MAGIC) else None
