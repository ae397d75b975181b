"""Sources b of M x = b: points, walls and noise."""

import dataclasses
import operator
from collections.abc import Sequence

import numpy as np

from onehop import _core
from onehop.argument import checked_field, checked_int
from onehop.engine import field_shape

FORMS = "point:x,y,z,t|wall:t|noise-wall:t,SEED|random:SEED"


@dataclasses.dataclass(frozen=True)
class Source:
    """A kind of source, with what belongs to it:

    point       one at `site`; a solve for every spin and colour
    wall        one at all sites of time slice `site[3]`, for every spin and colour; for links fixed
                to Coulomb gauge
    noise-wall  (+-1 +- i)/sqrt(2) there, seeded, a solve for every spin (one for staggered): the
                one-end trick
    random      Gaussian noise everywhere, seeded; one solve

    >>> quark = onehop.solve(gauge, kappa=0.12, source=onehop.Source("wall", (0, 0, 0, 2)))
    >>> str(quark.source), len(quark.reports)
    ('wall:2', 12)
    >>> onehop.solve(gauge, kappa=0.12, source="noise-wall:0,7").correlator.shape
    (8,)
    """

    kind: str = "point"
    site: tuple[int, int, int, int] = (0, 0, 0, 0)
    seed: int | None = None

    @property
    def has_correlator(self) -> bool:
        return self.kind != "random"

    @property
    def has_mesons(self) -> bool:
        """Whether every spin and colour is solved."""
        return self.kind in ("point", "wall")

    def count(self, components: int) -> int:
        """Returns the number of solves, for operators of 12 or 3 components a site."""
        return {"noise-wall": components // 3, "random": 1}.get(self.kind, components)

    def spin_and_colour(self, number: int, components: int) -> tuple[int | None, int | None]:
        """Returns spin and colour of a solve; None if the source has all of them."""
        spin, colour = divmod(number, 3)
        if self.kind == "random":
            return None, None
        if self.kind == "noise-wall":
            return (number if components == 12 else None), None
        return (spin if components == 12 else None), colour

    def fill(self, geometry: _core.Geometry, number: int, components: int, b: np.ndarray) -> None:
        """Sets b to the source of one solve, on this rank's block."""
        if self.kind == "point":
            _core.point_source(geometry, list(self.site), number, components, b)
        elif self.kind == "wall":
            _core.wall_source(geometry, self.site[3], number, components, b)
        elif self.kind == "noise-wall":
            _core.noise_wall_source(geometry, self.site[3], self.seed, number, components, b)
        else:
            _core.random_source(geometry, self.seed, components, b)

    def normalise(self, context: _core.Context, b: np.ndarray) -> np.ndarray | None:
        """Scales fields by powers of two to near 1 and returns the exponents, or None if they
        already are near 1. Collective."""

    def check(self, geometry: _core.Geometry, components: int) -> None:
        """Raises UsageError if the operator cannot take this source."""

    def __str__(self) -> str:
        details = {
            "point": ",".join(str(n) for n in self.site),
            "wall": f"{self.site[3]}",
            "noise-wall": f"{self.site[3]},{self.seed}",
            "random": f"{self.seed}",
        }
        return f"{self.kind}:{details[self.kind]}"


class FieldSource(Source):
    """Fields that the caller made: one solve for each."""

    def __init__(self, fields: np.ndarray) -> None:
        super().__init__("field")
        object.__setattr__(self, "fields", fields)

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @property
    def has_correlator(self) -> bool:
        return False

    def count(self, components: int) -> int:
        return 1 if self._is_one(components) else len(self.fields)

    def spin_and_colour(self, number: int, components: int) -> tuple[None, None]:
        return None, None

    def fill(self, geometry: _core.Geometry, number: int, components: int, b: np.ndarray) -> None:
        b[...] = self.fields if self._is_one(components) else self.fields[number]

    def normalise(self, context: _core.Context, b: np.ndarray) -> np.ndarray:
        import numpy as np

        from onehop.collectives import allreduce_max

        # Squares of numbers far from 1 leave the range of single precision.
        mine = np.abs(b.reshape(len(b), -1)).max(axis=1)
        largest = allreduce_max(context, mine)
        found = np.isfinite(largest) & (largest > 0)
        exponents = np.clip(np.where(found, np.frexp(largest)[1] - 1, 0), -1000, 1000)
        b *= np.exp2(-exponents).reshape(-1, *[1] * (b.ndim - 1))
        return exponents

    def check(self, geometry: _core.Geometry, components: int) -> None:
        block = field_shape(geometry, components)
        shape = self.fields.shape
        if shape not in (block, (len(self.fields), *block)) or not len(self.fields):
            raise _core.UsageError(
                f"a source of shape {shape}: this rank's block of the operator takes {block}, or "
                f"several behind one another, (n, {', '.join(map(str, block))})"
            )

    def _is_one(self, components: int) -> bool:
        return self.fields.ndim == (6 if components == 12 else 5)

    def __str__(self) -> str:
        return "field"


def as_source(source: Source | str | Sequence[int] | np.ndarray) -> Source:
    """Returns a Source from a Source, from text in one of FORMS, from the site of a point, or
    from the caller's fields: an array of more than one dimension, as `solve` takes it."""
    if isinstance(source, Source):
        return source
    if isinstance(source, str):
        return _parse(source)
    if getattr(source, "ndim", 0) > 1:
        return FieldSource(checked_field(source, "the source"))
    try:
        site = tuple(operator.index(n) for n in source)
    except TypeError:
        site = ()
    if len(site) != 4:
        raise _core.UsageError(f"a point source has four coordinates x, y, z, t; got {source!r}")
    return Source("point", _within_int(site))


def _within_int(site: Sequence[int]) -> tuple[int, ...]:
    return tuple(checked_int(n, "a coordinate of the source") for n in site)


def _parse(text: str) -> Source:
    kind, _, rest = text.partition(":")
    try:
        numbers = tuple(int(n) for n in rest.split(","))
    except ValueError:
        numbers = ()
    if kind == "point" and len(numbers) == 4:
        return Source("point", _within_int(numbers))
    if kind == "wall" and len(numbers) == 1:
        return Source("wall", _within_int((0, 0, 0, numbers[0])))
    if kind == "noise-wall" and len(numbers) == 2 and 0 <= numbers[1] < 2**64:
        return Source("noise-wall", _within_int((0, 0, 0, numbers[0])), numbers[1])
    if kind == "random" and len(numbers) == 1 and 0 <= numbers[0] < 2**64:
        return Source("random", seed=numbers[0])
    raise _core.UsageError(
        f"source {text!r} is none of {FORMS} with whole numbers (SEED from 0 to 2^64-1)"
    )
