"""One-sided, one-hop communication for lattice codes.

Reading a configuration and solving on it:

    gauge = onehop.read_gauge("demo.ildg")
    result = onehop.solve(gauge, onehop.Wilson(kappa=0.13))
    result.correlator, result.propagator

Moving halos only: `onehop.join`, `onehop.Cartesian`, `onehop.HaloField`, `onehop.HaloExchange`, or
`onehop.Window` and `onehop.PutChain` beneath them, run under `onehop run -n N`.
Names are imported at their first use; plotting and terminal libraries by the command line only.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onehop._core import (
        Asqtad,
        ChainError,
        ChecksumError,
        Clover,
        Context,
        Error,
        FileError,
        Geometry,
        Hisq,
        NumericError,
        PeerError,
        ResourceError,
        SolveOptions,
        SolveReport,
        Staggered,
        TimeoutError,
        UsageError,
        Wilson,
        __version__,
        barrier,
        choose_grid,
        kappa_to_mass,
        tree_level_naik_epsilon,
    )
    from onehop.baryons import Baryons, baryon_correlators, log_effective_mass
    from onehop.cartesian import Cartesian
    from onehop.collectives import (
        Alltoall,
        allgather,
        allgatherv,
        allreduce,
        allreduce_max,
        allreduce_sum,
        alltoallv,
        broadcast,
        exclusive_scan,
        gather,
        reduce,
        reduce_scatter,
        scan,
        scatter,
        sparse_exchange,
    )
    from onehop.device_arrays import DeviceArray, device_array, to_host
    from onehop.dirac import Dirac
    from onehop.eigenvectors import Eigenvectors, eigenvector_residuals, read_eigenvectors
    from onehop.error_analysis import (
        GammaEstimate,
        Jackknife,
        gamma_method,
        jackknife,
        samples_of,
    )
    from onehop.gauge import Gauge, cold_gauge, hot_gauge, inspect_gauge, read_gauge
    from onehop.halo_exchange import HaloExchange
    from onehop.halo_field import HaloField
    from onehop.lattice_files.conversion import convert
    from onehop.lattice_files.verification import verify
    from onehop.mesons import Mesons, meson_correlators, momenta_up_to
    from onehop.persistent_collective import (
        PersistentCollective,
        persistent_allgather,
        persistent_allreduce,
        persistent_alltoall,
        persistent_broadcast,
        persistent_reduce_scatter,
    )
    from onehop.propagator import Propagator, effective_mass, solve
    from onehop.put_chain import PutChain
    from onehop.quark_smearing import QuarkSmearing, sequential_source
    from onehop.record import write_record
    from onehop.rma import Window, join
    from onehop.shifted import solve_masses, solve_shifted
    from onehop.solution_record import solve_record
    from onehop.source import Source
    from onehop.stream import Stream, StreamItem, StreamPlace
    from onehop.trace_file import write_trace

_HOME = {
    "onehop._core": (
        "Asqtad ChainError ChecksumError Clover Context Error FileError Geometry Hisq NumericError "
        "PeerError ResourceError SolveOptions SolveReport Staggered TimeoutError UsageError Wilson "
        "__version__ barrier choose_grid kappa_to_mass tree_level_naik_epsilon"
    ),
    "onehop.trace_file": "write_trace",
    "onehop.baryons": "Baryons baryon_correlators log_effective_mass",
    "onehop.cartesian": "Cartesian",
    "onehop.collectives": (
        "Alltoall allgather allgatherv allreduce allreduce_max allreduce_sum alltoallv broadcast "
        "exclusive_scan gather reduce reduce_scatter scan scatter sparse_exchange"
    ),
    "onehop.device_arrays": "DeviceArray device_array to_host",
    "onehop.dirac": "Dirac",
    "onehop.eigenvectors": "Eigenvectors eigenvector_residuals read_eigenvectors",
    "onehop.error_analysis": "GammaEstimate Jackknife gamma_method jackknife samples_of",
    "onehop.gauge": "Gauge cold_gauge hot_gauge inspect_gauge read_gauge",
    "onehop.halo_exchange": "HaloExchange",
    "onehop.halo_field": "HaloField",
    "onehop.lattice_files.conversion": "convert",
    "onehop.lattice_files.verification": "verify",
    "onehop.mesons": "Mesons meson_correlators momenta_up_to",
    "onehop.persistent_collective": (
        "PersistentCollective persistent_allgather persistent_allreduce persistent_alltoall "
        "persistent_broadcast persistent_reduce_scatter"
    ),
    "onehop.propagator": "Propagator effective_mass solve",
    "onehop.shifted": "solve_masses solve_shifted",
    "onehop.put_chain": "PutChain",
    "onehop.quark_smearing": "QuarkSmearing sequential_source",
    "onehop.rma": "Window join",
    "onehop.record": "write_record",
    "onehop.solution_record": "solve_record",
    "onehop.source": "Source",
    "onehop.stream": "Stream StreamItem StreamPlace",
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names.split()}

__all__ = sorted(name for name in _MODULE_OF if not name.startswith("_"))


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'onehop' has no attribute '{name}'")
    return getattr(importlib.import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_MODULE_OF])
