"""Options of `onehop solve` about what is made of the propagator."""

from __future__ import annotations

from onehop.cli.options import Option
from onehop.cli.values import output_name, whole

MESONS = Option(
    "--mesons",
    "two-point functions of the 16 gamma structures (staggered: 8 corners) into the record",
    is_flag=True,
)
MOMENTA = Option(
    "--momenta",
    "of the mesons: all n with n_x^2 + n_y^2 + n_z^2 up to N2, p_i = 2 pi n_i / L_i (default 0)",
    whole(0),
    value="N2",
)
HDF5 = Option(
    "--hdf5",
    "the record as HDF5 too: lists are datasets, single values attributes",
    output_name,
    value="FILE",
)
