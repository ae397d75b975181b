"""Eigenvectors of staggered operators, in files of MILC or HDF5, and their residuals."""

import dataclasses
import os

import numpy as np
from numpy.typing import NDArray

from onehop import _core
from onehop._core import UsageError
from onehop.argument import Made, checked
from onehop.collectives import agree, allreduce_sum
from onehop.dirac import Dirac
from onehop.lattice_files.contents import open_fields
from onehop.lattice_files.conversion import BITS
from onehop.lattice_files.fields import Companions, FieldsFile, create_array
from onehop.lattice_files.formats import EIGENVECTORS, choose_format
from onehop.lattice_files.scidac_sink import create_scidac

# Eigenvalues are those of these operators, by the anti-Hermitian D = M - m of onehop.
OPERATORS = ("4 D^+D", "D^+D", "D")
PHASES = ("milc", "onehop")


@dataclasses.dataclass
class Eigenvectors(Made):
    """Colour vectors of a whole lattice with their eigenvalues.

    eigenvalues       float64 (n,)
    vectors           complex128 (n, T, Z, Y, X, 3)
    stated_residuals  float64 (n,), what the file says of them; NaN where it says nothing

    >>> vectors = np.ones((1, 4, 4, 4, 4, 3), complex)      # of the free field: D v = 0
    >>> found = onehop.Eigenvectors(np.zeros(1), vectors, np.full(1, np.nan))
    >>> found.write("eigenvectors.scidac")
    >>> found.lattice
    (4, 4, 4, 4)
    """

    eigenvalues: NDArray[np.float64]
    vectors: NDArray[np.complex128]
    stated_residuals: NDArray[np.float64]

    @property
    def lattice(self) -> tuple[int, int, int, int]:
        """The extents x, y, z, t."""
        t, z, y, x = self.vectors.shape[1:5]
        return x, y, z, t

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,
        precision: str = "double",
    ) -> None:
        """Writes SciDAC or HDF5, as `format` or the name of the file says, in single or double
        precision, by one process. Raises FileError, NumericError, UsageError; the file is then as
        before."""
        path = os.fsdecode(path)
        described = choose_format(EIGENVECTORS, path, format)
        if precision not in BITS:
            raise UsageError(f"precision {precision!r} is neither single nor double")
        file = self._as_file()
        create = create_scidac if described.name == "SciDAC" else create_array
        with create(path, described, file, BITS[precision]) as sink:
            for t in range(self.lattice[3]):
                sink.write(t, file.read(t), None)
            sink.finish()

    def check(self) -> None:
        """Raises UsageError if the arrays do not belong together."""
        vectors = np.asarray(self.vectors)
        values = np.asarray(self.eigenvalues, np.float64)
        if vectors.ndim != 6 or vectors.shape[5] != 3 or 0 in vectors.shape:
            raise UsageError(f"eigenvectors have the shape (n, T, Z, Y, X, 3), not {vectors.shape}")
        if values.shape != vectors.shape[:1] or not np.isfinite(values).all():
            raise UsageError(f"{len(vectors)} eigenvectors need as many finite eigenvalues")
        residuals = np.asarray(self.stated_residuals, np.float64)
        if residuals.shape != values.shape:
            raise UsageError(f"{len(vectors)} eigenvectors need as many residuals, or NaN for each")

    def _as_file(self) -> FieldsFile:
        self.check()
        vectors = np.asarray(self.vectors)
        values = [float(value) for value in self.eigenvalues]
        residuals = [float(value) for value in self.stated_residuals]
        return _InMemory(
            path="eigenvectors",
            format="",
            lattice=self.lattice,
            precision_bits=64,
            has_checksum=False,
            warnings=[],
            kind=EIGENVECTORS,
            count=len(vectors),
            site_shape=(3,),
            companions=Companions(eigenvalues=values, residuals=residuals),
            vectors=vectors,
        )


@dataclasses.dataclass(kw_only=True)
class _InMemory(FieldsFile):
    vectors: NDArray[np.complex128]

    def _read(self, t: int) -> NDArray[np.complex128]:
        return self.vectors[:, t].astype(np.complex128)


def read_eigenvectors(path: str | os.PathLike[str]) -> Eigenvectors:
    """Reads a whole file of eigenvectors, SciDAC or HDF5, and verifies its checksums. Raises
    FileError, ChecksumError, NumericError.

    >>> vectors = np.ones((1, 4, 4, 4, 4, 3), complex)
    >>> onehop.Eigenvectors(np.zeros(1), vectors, np.full(1, np.nan)).write("eigenvectors.scidac")
    >>> onehop.read_eigenvectors("eigenvectors.scidac").vectors.shape
    (1, 4, 4, 4, 4, 3)
    """
    file = open_fields(os.fsdecode(path), EIGENVECTORS)
    try:
        x, y, z, t_extent = file.lattice
        vectors = np.empty((file.count, t_extent, z, y, x, 3), np.complex128)
        for t in range(t_extent):
            vectors[:, t] = file.read(t)
        file.verify_checksum()
    finally:
        file.close()
    kept = file.companions
    residuals = kept.residuals or [np.nan] * file.count
    return Eigenvectors(np.array(kept.eigenvalues), vectors, np.array(residuals))


def eigenvector_residuals(
    eigenvectors: Eigenvectors, dirac: Dirac, *, of: str = "4 D^+D", phases: str = "milc"
) -> NDArray[np.float64]:
    """Returns |A v - lambda v| / |v| of each eigenvector, float64 (n,); collective.

    `dirac` is a staggered operator M = m + D of any mass, with the links and the boundary that the
    vectors were made with: D v = 1/2 sum_mu eta_mu(x) [U_mu(x) v(x+mu) - ...]. A is as `of` says:
    4 D^+D, whose eigenvalues MILC's files have, since its D is twice this one; D^+D; or D, which
    takes v to i lambda v. Vectors with MILC's `phases` eta_t = 1, eta_x = (-1)^t, ... are those
    with onehop's, eta_x = 1, eta_y = (-1)^x, ..., times (-1)^(t (x+y+z)), which is put in here.

    >>> free = onehop.cold_gauge((4, 4, 4, 4))
    >>> operator = onehop.Dirac(free, onehop.Staggered(mass=0.1), boundary="periodic")
    >>> constant = np.ones((1, 4, 4, 4, 4, 3), complex)     # D takes it to 0
    >>> found = onehop.Eigenvectors(np.zeros(1), constant, np.full(1, np.nan))
    >>> onehop.eigenvector_residuals(found, operator, of="D^+D", phases="onehop")
    array([0.])
    """
    for name, value, known in (("of", of, OPERATORS), ("phases", phases, PHASES)):
        if value not in known:
            raise UsageError(f"{name} {value!r} is none of {', '.join(known)}")
    checked(eigenvectors, Eigenvectors, "what has residuals", "onehop.Eigenvectors")
    if checked(dirac, Dirac, "the operator of residuals", "onehop.Dirac").operator.components != 3:
        raise UsageError(f"residuals need a staggered operator, not {dirac.operator!r}")
    eigenvectors.check()
    geometry = dirac.geometry
    count = len(eigenvectors.vectors)
    agree(geometry.context, "eigenvector_residuals", count=count, of=of, phases=phases)
    if eigenvectors.lattice != tuple(geometry.lattice):
        raise UsageError(
            f"the eigenvectors are on the lattice {eigenvectors.lattice}, the operator on "
            f"{tuple(geometry.lattice)}"
        )
    signs = _signs(eigenvectors.lattice) if phases == "milc" else None
    squares = np.zeros((2, count))
    for n, value in enumerate(eigenvectors.eigenvalues):
        whole = eigenvectors.vectors[n]
        vector = _block(whole if signs is None else signs * whole, geometry)
        apart = _apply(dirac, vector, of) - value * vector
        squares[:, n] = np.vdot(apart, apart).real, np.vdot(vector, vector).real
    total = allreduce_sum(geometry.context, squares.ravel()).reshape(2, count)
    if not total[1].all():
        raise UsageError(f"eigenvector {int(total[1].argmin())} is zero and has no residual")
    return np.sqrt(total[0] / total[1])


def _signs(lattice: tuple[int, int, int, int]) -> NDArray[np.float64]:
    """Returns (-1)^(t (x+y+z)) for each site, (T, Z, Y, X, 1)."""
    x, y, z, t = (np.arange(extent) for extent in lattice)
    space = z[:, None, None] + y[:, None] + x
    return 1.0 - 2.0 * ((t[:, None, None, None] * space) % 2)[..., None]


def _block(field: NDArray[np.complex128], geometry: _core.Geometry) -> NDArray[np.complex128]:
    """Returns this rank's part."""
    parts = [
        slice(first, first + extent)
        for first, extent in zip(geometry.origin, geometry.local, strict=True)
    ]
    return np.ascontiguousarray(field[tuple(reversed(parts))])


def _apply(dirac: Dirac, vector: NDArray[np.complex128], of: str) -> NDArray[np.complex128]:
    once = _massless(dirac, vector)
    if of == "D":
        return -1j * once
    return (-4 if of == "4 D^+D" else -1) * _massless(dirac, once)


def _massless(dirac: Dirac, vector: NDArray[np.complex128]) -> NDArray[np.complex128]:
    return dirac.apply(vector) - dirac.operator.mass * vector
