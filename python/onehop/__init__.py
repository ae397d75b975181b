"""One-sided, one-hop communication for lattice codes.

Reading a configuration and solving on it:

    gauge = onehop.read_gauge("demo.ildg")
    result = onehop.solve(gauge, onehop.Wilson(kappa=0.13))
    result.correlator, result.propagator

Moving halos only: `onehop.join`, `onehop.Cartesian`, `onehop.HaloField`, `onehop.HaloExchange`, or
`onehop.Window` and `onehop.PutChain` beneath them, run under `onehop run -n N`.

The examples in the docstrings assume these lines, in a job of one rank:

    >>> import numpy as np
    >>> import onehop
    >>> job = onehop.join()
    >>> gauge = onehop.hot_gauge((4, 4, 4, 8), seed=1, context=job)

Names are imported when first used; only the command line imports plotting and terminal libraries.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onehop._core import (
        Asqtad as Asqtad,
        ChainError as ChainError,
        ChecksumError as ChecksumError,
        Clover as Clover,
        Context as Context,
        Error as Error,
        FileError as FileError,
        Geometry as Geometry,
        Hisq as Hisq,
        NumericError as NumericError,
        PeerError as PeerError,
        ResourceError as ResourceError,
        SolveOptions as SolveOptions,
        SolveReport as SolveReport,
        Staggered as Staggered,
        TimeoutError as TimeoutError,
        UsageError as UsageError,
        Wilson as Wilson,
        barrier as barrier,
        choose_grid as choose_grid,
        kappa_to_mass as kappa_to_mass,
        tree_level_naik_epsilon as tree_level_naik_epsilon,
    )
    from onehop.baryons import (
        Baryons as Baryons,
        baryon_correlators as baryon_correlators,
        log_effective_mass as log_effective_mass,
    )
    from onehop.cartesian import Cartesian as Cartesian
    from onehop.collectives import (
        Alltoall as Alltoall,
        allgather as allgather,
        allgatherv as allgatherv,
        allreduce as allreduce,
        allreduce_max as allreduce_max,
        allreduce_sum as allreduce_sum,
        alltoallv as alltoallv,
        broadcast as broadcast,
        exclusive_scan as exclusive_scan,
        gather as gather,
        gatherv as gatherv,
        reduce as reduce,
        reduce_scatter as reduce_scatter,
        scan as scan,
        scatter as scatter,
        scatterv as scatterv,
        set_collective_stream as set_collective_stream,
        sparse_exchange as sparse_exchange,
    )
    from onehop.device_arrays import (
        DeviceArray as DeviceArray,
        device_array as device_array,
        to_host as to_host,
    )
    from onehop.dirac import Dirac as Dirac
    from onehop.eigenvectors import (
        Eigenvectors as Eigenvectors,
        eigenvector_residuals as eigenvector_residuals,
        read_eigenvectors as read_eigenvectors,
    )
    from onehop.error_analysis import (
        GammaEstimate as GammaEstimate,
        Jackknife as Jackknife,
        gamma_method as gamma_method,
        jackknife as jackknife,
        samples_of as samples_of,
    )
    from onehop.gauge import (
        Gauge as Gauge,
        cold_gauge as cold_gauge,
        hot_gauge as hot_gauge,
        inspect_gauge as inspect_gauge,
        read_gauge as read_gauge,
    )
    from onehop.halo_exchange import HaloExchange as HaloExchange
    from onehop.halo_field import HaloField as HaloField
    from onehop.lattice_files.conversion import convert as convert
    from onehop.lattice_files.verification import verify as verify
    from onehop.mesons import (
        Mesons as Mesons,
        meson_correlators as meson_correlators,
        momenta_up_to as momenta_up_to,
    )
    from onehop.persistent_collective import (
        PersistentCollective as PersistentCollective,
        persistent_allgather as persistent_allgather,
        persistent_allgatherv as persistent_allgatherv,
        persistent_allreduce as persistent_allreduce,
        persistent_alltoall as persistent_alltoall,
        persistent_alltoallv as persistent_alltoallv,
        persistent_broadcast as persistent_broadcast,
        persistent_exclusive_scan as persistent_exclusive_scan,
        persistent_gather as persistent_gather,
        persistent_gatherv as persistent_gatherv,
        persistent_reduce as persistent_reduce,
        persistent_reduce_scatter as persistent_reduce_scatter,
        persistent_scan as persistent_scan,
        persistent_scatter as persistent_scatter,
        persistent_scatterv as persistent_scatterv,
    )
    from onehop.propagator import (
        Propagator as Propagator,
        effective_mass as effective_mass,
        solve as solve,
    )
    from onehop.put_chain import PutChain as PutChain
    from onehop.quark_smearing import (
        QuarkSmearing as QuarkSmearing,
        sequential_source as sequential_source,
    )
    from onehop.record import write_record as write_record
    from onehop.rma import Window as Window, join as join
    from onehop.shifted import solve_masses as solve_masses, solve_shifted as solve_shifted
    from onehop.solution_record import solve_record as solve_record
    from onehop.source import Source as Source
    from onehop.stream import Stream as Stream, StreamItem as StreamItem, StreamPlace as StreamPlace
    from onehop.trace_file import write_trace as write_trace

    # A stub leaves out names that begin with underscores.
    __version__: str

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
        "exclusive_scan gather gatherv reduce reduce_scatter scan scatter scatterv "
        "set_collective_stream sparse_exchange"
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
        "PersistentCollective persistent_allgather persistent_allgatherv persistent_allreduce "
        "persistent_alltoall persistent_alltoallv persistent_broadcast persistent_exclusive_scan "
        "persistent_gather persistent_gatherv persistent_reduce persistent_reduce_scatter "
        "persistent_scan persistent_scatter persistent_scatterv"
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
