"""Applies the Dirac operator of a gauge configuration to fields."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from onehop import _core
from onehop.argument import Made, checked_field
from onehop.collectives import agree
from onehop.engine import Operator, as_operator, as_options, field_shape, make_engine
from onehop.gauge import Gauge, checked_gauge


class Dirac(Made):
    """M on the links of `gauge`, by the kernels that `solve` iterates with; collective.

    `operator` is one of `onehop.Wilson`, `Clover`, `Staggered`, `Asqtad` and `Hisq`, or is named by
    keywords as for `solve`; so are options, of which `boundary`, `prec`, `recon`, `threads` and
    `overlap` matter here. include/onehop/dirac_operator.hpp has the definitions: lattice units,
    mass normalisation, DeGrand-Rossi basis. Links are taken as they are now: changing them later
    does not change the operator.

    >>> operator = onehop.Dirac(gauge, onehop.Wilson(kappa=0.12))
    >>> x = np.ones(operator.shape, complex)
    >>> b = operator.apply(x)
    >>> bool(np.isclose(np.vdot(b, b), np.vdot(x, operator.apply(b, dagger=True))))
    True
    """

    def __init__(
        self,
        gauge: Gauge,
        operator: Operator | None = None,
        *,
        options: _core.SolveOptions | None = None,
        **how: object,
    ) -> None:
        checked_gauge(gauge, "Dirac")
        self._operator = as_operator(operator, how)
        options = as_options(options, how).replace(rhs=1)
        options.check(self._operator)
        self._geometry = gauge.geometry
        self._engine = make_engine(gauge, self._operator, options)

    @property
    def operator(self) -> Operator:
        """The kind of operator, with its parameters."""
        return self._operator

    @property
    def geometry(self) -> _core.Geometry:
        """The lattice and the grid of ranks of the links."""
        return self._geometry

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of a field of this rank's block: (Lt, Lz, Ly, Lx, 4, 3), of staggered quarks
        (..., 3)."""
        return field_shape(self._geometry, self._operator.components)

    def apply(self, x: ArrayLike, *, dagger: bool = False) -> NDArray[np.complex128]:
        """Returns M x, or M^+ x with `dagger`, as a new array complex128 of the shape of x;
        collective.

        `x` has this rank's block of one field, `shape`, or of several, (n, *shape). It is computed
        in double unless `prec` is single or half, then in single; the result has the same bits on
        every grid of ranks. Raises UsageError for another shape, and where ranks give different
        numbers of fields or differ in `dagger`.
        """
        fields = checked_field(x, "the field")
        if fields.shape[-len(self.shape) :] != self.shape or fields.ndim > len(self.shape) + 1:
            raise _core.UsageError(
                f"a field of shape {fields.shape}: this rank's block of the operator takes "
                f"{self.shape}, or several behind one another, (n, "
                f"{', '.join(map(str, self.shape))})"
            )
        several = fields.reshape(-1, *self.shape)
        agree(self._geometry.context, "apply", fields=len(several), dagger=dagger)
        images = np.empty_like(several)
        for field, image in zip(several, images, strict=True):
            self._engine.apply(field, image, dagger)
        return images.reshape(fields.shape)

    def __repr__(self) -> str:
        return f"<Dirac operator {self._operator!r} on fields of shape {self.shape}>"
