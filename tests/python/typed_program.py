"""A user's program that touches every public name; type checkers read it and nobody runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import onehop
from onehop import flow

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import assert_type

    Reals = NDArray[np.float64]
    Complexes = NDArray[np.complex128]


def errors() -> None:
    kinds: list[type[onehop.Error]] = [
        onehop.ChainError,
        onehop.ChecksumError,
        onehop.FileError,
        onehop.NumericError,
        onehop.PeerError,
        onehop.ResourceError,
        onehop.TimeoutError,
        onehop.UsageError,
    ]
    try:
        job = onehop.join("self")
    except onehop.Error as error:
        raise SystemExit(str(error)) from error
    assert_type(job, onehop.Context)
    assert_type(job.rank, int)
    assert_type(onehop.__version__, str)
    print(kinds)


def chains(job: onehop.Context) -> None:
    window = onehop.Window(job, (4, 4), np.float64, banks=2)
    over: onehop.Window = onehop.Window.register(job, np.zeros(4))
    chain = onehop.PutChain(job, window)
    slot = chain.push(np.ones(4), 0, 0, variable=True)
    packed = chain.push_packed(32, 0, into=window.array()[:, 0])
    arrivals = [chain.add_origin(0) for _ in range(2)]
    chain.take_turns()
    chain.commit()
    chain.set_bytes(slot, 16)
    chain.start()
    chain.wait_any(arrivals)
    chain.wait()
    chain.start_partial()
    chain.target_view(packed)[...] = 0
    chain.ready(slot)
    assert_type(chain.test(arrivals[0]), bool)
    print(chain.arrived(arrivals[0]).sum(), chain.describe(), over.bytes(0), chain.direct(slot))
    chain.clear()
    onehop.barrier(job)
    onehop.write_trace(job, "timeline.json")


def halos(job: onehop.Context) -> None:
    ranks = onehop.Cartesian(job, (8, 8), grid=(1, job.size), periodic=[True, False])
    field = onehop.HaloField(ranks, np.float64, width=1, components=3)
    halo = onehop.HaloExchange([field], corners=True)
    halo.start()
    halo.wait((0, 1))
    halo.exchange(field)
    field.interior[...] = field.array.mean()
    assert_type(ranks.along(0), onehop.Context)
    assert_type(ranks.neighbour((1, 0)), "int | None")
    assert_type(ranks.local, tuple[int, ...])


def collectives(job: onehop.Context) -> None:
    numbers = np.arange(job.size, dtype=np.int64)
    assert_type(onehop.allreduce_sum(job, [1.0]), "Reals")
    assert_type(onehop.allreduce_max(job, np.ones(3)), "Reals")
    found: list[np.ndarray] = [
        onehop.allreduce(job, numbers, "max"),
        onehop.allgather(job, numbers),
        onehop.scan(job, numbers),
        onehop.reduce_scatter(job, numbers),
        onehop.broadcast(job, numbers, root=0),
        onehop.scatter(job, numbers, numbers[:1]),
        *onehop.allgatherv(job, numbers),
        *onehop.alltoallv(job, [numbers] * job.size),
        *(onehop.gatherv(job, numbers, root=0) or []),
        onehop.scatterv(job, [numbers] * job.size, dtype=np.int64),
    ]
    for one in (
        onehop.reduce(job, numbers),
        onehop.gather(job, numbers),
        onehop.exclusive_scan(job, numbers),
    ):
        found += [] if one is None else [one]
    for source, array in onehop.sparse_exchange(job, [0], [np.ones(2)]):
        print(source, array.sum())
    found.append(onehop.Alltoall(job, 4, np.float64, "staged").run(np.zeros((job.size, 4))))
    made = [
        onehop.persistent_allreduce(job, numbers),
        onehop.persistent_broadcast(job, numbers),
        onehop.persistent_allgather(job, numbers),
        onehop.persistent_alltoall(job, numbers, numbers.copy()),
        onehop.persistent_reduce_scatter(job, numbers, numbers[:1].copy()),
        onehop.persistent_reduce(job, numbers, "sum", root=0),
        onehop.persistent_scan(job, numbers),
        onehop.persistent_exclusive_scan(job, numbers),
        onehop.persistent_gather(job, numbers[:1].copy(), numbers, root=0),
        onehop.persistent_scatter(job, numbers, numbers[:1].copy(), root=0),
        onehop.persistent_alltoallv(job, [numbers], [numbers.copy()]),
        onehop.persistent_allgatherv(job, numbers, [numbers]),
        onehop.persistent_gatherv(job, numbers, [numbers.copy()], root=0),
        onehop.persistent_scatterv(job, [numbers], numbers.copy(), root=0),
    ]
    first: onehop.PersistentCollective = made[0]
    first.start()
    first.wait()


def streams(job: onehop.Context) -> None:
    with onehop.Stream(job, [0], range(job.size), largest_item=256) as stream:
        place: onehop.StreamPlace = stream.reserve(16)
        place.bytes[:] = 1
        stream.publish(place)
        stream.send(b"words", consumer=0)
        stream.close()
        for item in stream:
            assert_type(item, onehop.StreamItem)
            print(item.bytes.sum(), item.producer)


def devices(job: onehop.Context, array: object) -> onehop.DeviceArray:
    onehop.set_collective_stream(job, None)
    shared = onehop.device_array(array)
    assert_type(onehop.broadcast(job, shared), onehop.DeviceArray)
    print(onehop.to_host(array).shape)
    return onehop.device_array(array, stream=None)


def gauges(job: onehop.Context) -> onehop.Gauge:
    gauge = onehop.read_gauge("b6.0.nersc", grid=onehop.choose_grid([8, 8, 8, 16], job.size))
    assert_type(gauge.geometry, onehop.Geometry)
    assert_type(gauge.plaquette, float)
    assert_type(gauge.links, "Complexes")
    gauge.links *= 1.0
    print(onehop.inspect_gauge("b6.0.nersc").lattice, gauge.fix("landau").converged)
    onehop.cold_gauge((4, 4, 4, 4), context=job).write("cold.ildg", precision_bits=32)
    gauge.heatbath(beta=6.0, seed=1, sweep=0)
    flow.smear(gauge, "ape", (0.6,), 3, spatial=True)
    points = list(flow.gradient_flow(gauge.copy(), 1.0))
    assert_type(flow.flow_scales(points).t0, "float | None")
    flow.plot(points)[0].set_title("flow")
    converted = onehop.convert("b6.0.nersc", "b6.0.ildg", precision="single")
    print(converted, onehop.verify("b6.0.ildg", against="b6.0.nersc"))
    return onehop.hot_gauge((4, 4, 4, 8), seed=1, context=job)


def quarks(gauge: onehop.Gauge) -> None:
    wilson = onehop.Wilson(kappa=0.13)
    operators = [
        onehop.Clover(mass=onehop.kappa_to_mass(0.13), csw=1.5),
        onehop.Staggered(mass=0.1),
        onehop.Asqtad(mass=0.1, u0=0.9),
        onehop.Hisq(mass=0.1, naik_epsilon=onehop.tree_level_naik_epsilon(0.1)),
    ]
    options = onehop.SolveOptions(tol=1e-10, prec="mixed")
    dirac = onehop.Dirac(gauge, wilson, options=options)
    assert_type(dirac.apply(np.zeros(dirac.shape), dagger=True), "Complexes")
    found: onehop.Eigenvectors = onehop.read_eigenvectors("eigenvectors.scidac")
    assert_type(onehop.eigenvector_residuals(found, dirac), "Reals")
    smearing = onehop.QuarkSmearing(gauge, kappa=0.2, steps=10)
    source: onehop.Source = smearing.source("point:0,0,0,0")
    quark = onehop.solve(gauge, wilson, source=source, options=options, tol=1e-8)
    assert_type(quark, onehop.Propagator)
    assert_type(quark.converged, bool)
    assert_type(quark.correlator, "Reals | None")
    report: onehop.SolveReport = quark.reports[0]
    through = onehop.solve(gauge, source=onehop.sequential_source(gauge, quark, 3), kappa=0.13)
    shifted = onehop.solve_shifted(gauge, [0.1, 0.2], kappa=0.13)
    masses = onehop.solve_masses(gauge, [0.1, 0.2], dslash="staggered")
    print(operators, report.residual_true, through, shifted, masses)
    hadrons(gauge, quark)


def hadrons(gauge: onehop.Gauge, quark: onehop.Propagator) -> None:
    momenta = onehop.momenta_up_to(2)
    mesons: onehop.Mesons = onehop.meson_correlators(gauge, quark, momenta)
    baryons: onehop.Baryons = onehop.baryon_correlators(gauge, quark, momenta=momenta)
    for name, momentum, correlator in mesons:
        print(name, momentum[2], onehop.effective_mass(correlator.real))
    assert_type(baryons.of("proton", (0, 0, 1), parity=-1), "Complexes")
    assert_type(onehop.log_effective_mass([1.0, 0.5]), "Reals")
    record = onehop.solve_record(gauge, quark, mesons=mesons, baryons=baryons)
    if record is not None:
        onehop.write_record(record, "solve.json")
    rows = onehop.samples_of(["solve.json", {"check": {}}], "correlator")
    folded: onehop.Jackknife = onehop.jackknife(rows, onehop.effective_mass, bin=2)
    gamma: onehop.GammaEstimate = onehop.gamma_method(rows, lambda mean: mean[0] / mean[1])
    folded.plot(gamma.plot())
    axes = mesons.plot("g5", "gx", momentum=(0, 0, 1))
    baryons.plot("proton", parity=-1, axes=quark.plot(axes))
    assert_type(folded.error, "Reals")
    assert_type(gamma.tau_int, "Reals")


def mistakes(job: onehop.Context, gauge: onehop.Gauge) -> None:
    """A type checker refuses each of these lines; one that it took would be an ignore too many."""
    onehop.solve("b6.0.nersc")  # type: ignore[arg-type]
    onehop.Wilson(kapa=0.13)  # type: ignore[call-arg]
    gauge.plaquette = 1.0  # type: ignore[misc]
    onehop.barrier()  # type: ignore[call-arg]
    onehop.Window(4)  # type: ignore[call-arg,arg-type]
    print(job.ranks)  # type: ignore[attr-defined]
