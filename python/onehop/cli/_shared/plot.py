"""`--plot` draws what a command found, without a display."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onehop._core import UsageError
from onehop.correlator_plot import PANELS, draw_correlator
from onehop.figures import new_figure, save
from onehop.flow_plot import draw_flow

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_FORMATS = ("png", "pdf", "svg")


def check_format(name: str, option: str = "--plot") -> None:
    ending = name.rpartition(".")[2].lower()
    if ending not in _FORMATS:
        raise UsageError(f"{option} {name}: the name must end in .png, .pdf or .svg")


def plot_correlator(record: dict, path: Path) -> None:
    """Draws two panels over t: C(t) on a logarithmic scale, the effective mass below."""
    figure, above, below = _two_panels()
    draw_correlator(above, below, record["correlator"], record["effective_mass"])
    above.set_title(_title(record), fontsize=10)
    _save(figure, path)


def plot_flow(record: dict, path: Path) -> None:
    """Draws two panels over the flow time: t^2 E of clover and plaquette, the topological
    charge."""
    figure, above, below = _two_panels()
    draw_flow(above, below, record["samples"], record["t0"])
    size = "x".join(map(str, record["lattice"]))
    above.set_title(
        f"Wilson flow, {size}, plaquette {record['plaquette']:.5f} at the end", fontsize=10
    )
    _save(figure, path)


def plot_series(record: dict, path: Path) -> None:
    """Draws two panels over the sweeps of an application: energy per spin of each replica or, with
    tempering, at each temperature, and by how much over-relaxation has changed a replica's."""
    figure, above, below = _two_panels()
    sweeps = [sample["sweep"] for sample in record["samples"]]
    for key, axes in (("energy_per_spin", above), ("drift", below)):
        for series in zip(*(sample[key] for sample in record["samples"]), strict=True):
            axes.plot(sweeps, series, linewidth=1)
    options, result = record["options"], record["result"]
    if "tempering" in result:
        low, high = (f"{options['betas'][end]:g}" for end in (0, -1))
        what = f"tempering, betas {low} to {high}"
    else:
        mean = result["energy_per_spin"]["mean"]
        above.axhline(mean, color="grey", linewidth=0.8, label="mean of the measured sweeps")
        what = f"beta {options['beta']:g}: {mean:.6f}"
    start = options["thermalise"] + 0.5
    above.axvline(start, color="grey", linewidth=0.8, linestyle="--", label="measured from here on")
    above.legend(frameon=False, fontsize=8)
    above.set_ylabel("energy per spin")
    size = "x".join(map(str, options["lattice"]))
    above.set_title(f"{record['app']}, {size}, {options['disorder']}, {what}", fontsize=10)
    below.set_ylabel("change by over-relaxation")
    below.set_xlabel("sweep")
    _save(figure, path)


def plot_searches(record: dict, path: Path) -> None:
    """Two panels: the rate of each search with their harmonic mean, and how many vertices each has
    found in which level."""
    figure, above, below = _two_panels(share_x=False)
    samples = record["samples"]
    rates = [1e-6 * sample["teps"] for sample in samples]
    above.plot(range(1, len(rates) + 1), rates, "o", markersize=4, color="#1f5a92")
    mean = 1e-6 * record["result"]["harmonic_mean_teps"]
    above.axhline(mean, color="grey", linewidth=0.8, label="harmonic mean")
    above.legend(frameon=False)
    above.set_ylim(bottom=0)
    above.set_ylabel("million edges per second")
    above.set_xlabel("search")
    where = f"{record['transport']}, {record['ranks']} rank{'s'[: record['ranks'] > 1]}"
    above.set_title(
        f"{record['app']}, {record['result']['vertices']} vertices, {where}: {mean:.4g} MTEPS",
        fontsize=10,
    )
    for sample in samples:
        counts = sample["vertices_by_level"]
        below.semilogy(
            range(len(counts)),
            counts,
            "o-",
            markersize=3,
            linewidth=0.7,
            alpha=0.3,
            color="#a8441f",
        )
    below.set_ylabel("vertices")
    below.set_xlabel("level")
    below.xaxis.get_major_locator().set_params(integer=True)
    _save(figure, path)


def plot_latencies(record: dict, path: Path) -> None:
    """Two panels over the latency, for each wire: the share of the decisions in each of 20
    intervals of a decade, and the share that came later; a line shows the deadline."""
    import numpy as np

    figure, above, below = _two_panels()
    drawn = [sample for sample in record["samples"] if sample["decided"]]
    for sample, colour in zip(drawn, ("#1f5a92", "#a8441f"), strict=False):
        ends, counts = np.array(sample["histogram_us"], dtype=float).T
        decided = sample["decided"]
        first, last = np.floor(20 * np.log10(ends[[0, -1]]))
        edges = 10 ** (np.arange(first, last + 2) / 20)
        shares = np.histogram(ends, edges, weights=counts)[0] / decided
        rate = f"{sample['wire']}, {sample['sustained_mbs']:.4g} MB/s, {sample['lost']} lost"
        above.stairs(shares, edges, color=colour, label=rate)
        later = 1 - np.cumsum(counts) / decided
        below.step(ends[:-1], later[:-1], where="post", linewidth=1, color=colour)
    options = record["options"]
    for axes in (above, below):
        late = {"color": "grey", "linewidth": 0.8, "linestyle": "--", "label": "deadline"}
        axes.axvline(options["deadline_us"], **late)
        axes.set_xscale("log")
        axes.set_yscale("log")
    above.set_ylabel("share of the decisions")
    above.legend(frameon=False)
    above.set_title(
        f"{record['app']}, {options['events_per_s']:.4g} events per second, {record['transport']}, "
        f"deadline {options['deadline_us']:g} us",
        fontsize=10,
    )
    below.set_ylabel("share that is later")
    below.set_xlabel("time from event to decision (us)")
    _save(figure, path)


def plot_echo(record: dict, path: Path) -> None:
    """Two panels over the bytes that are sent, for each variant: the time of a round with its
    quartiles, and by how much it is longer than that of the smallest size."""
    figure, above, below = _two_panels()
    colours = ("#1f5a92", "#a8441f", "#3d7a3d")
    for variant, colour in zip(record["options"]["variants"], colours, strict=False):
        of = [sample for sample in record["samples"] if sample["variant"] == variant]
        sizes = [sample["size_bytes"] for sample in of]
        times = [sample["round_us"] for sample in of]
        medians = [time["median"] for time in times]
        low, high = ([time[f"{q}quartile"] for time in times] for q in ("first", "third"))
        above.plot(sizes, medians, "o-", markersize=3, linewidth=1, color=colour, label=variant)
        above.fill_between(sizes, low, high, color=colour, alpha=0.2, linewidth=0)
        below.plot(
            sizes, [m - medians[0] for m in medians], "o-", markersize=3, linewidth=1, color=colour
        )
    above.set_xscale("log", base=2)
    above.set_ylim(bottom=0)
    above.set_ylabel("there and back (us)")
    above.legend(frameon=False)
    above.set_title(f"{record['app']}, {record['transport']}", fontsize=10)
    below.set_ylabel("growth (us)")
    below.set_xlabel("bytes sent")
    _save(figure, path)


def plot_pushes(record: dict, path: Path) -> None:
    """One row for each buffer: a bar for each push of a chunk in it, with the chunk's number. What
    is free between two bars the worker has waited for copies."""
    figure, axes = new_figure(1, 1, figsize=(6.4, 2.6))
    colours = ("#1f5a92", "#a8441f", "#3d7a3d")
    for sample in record["samples"]:
        begin, end = 1e-3 * sample["begin_us"], 1e-3 * sample["end_us"]
        row = sample["buffer"]
        axes.barh(row, end - begin, left=begin, height=0.6, color=colours[row % len(colours)])
        axes.text(
            *((begin + end) / 2, row, str(sample["chunk"])),
            **{"ha": "center", "va": "center", "color": "white", "fontsize": 8},
        )
    axes.set_yticks(range(record["options"]["buffers"]))
    axes.invert_yaxis()
    axes.set_ylabel("buffer")
    axes.set_xlabel("time of the worker (ms)")
    steady = record["result"]["steady_ns_per_particle"]
    axes.set_title(
        f"{record['app']}, {record['transport']}: {steady:.4g} ns per particle and step",
        fontsize=10,
    )
    _save(figure, path)


def _two_panels(*, share_x: bool = True) -> tuple[Figure, Axes, Axes]:
    figure, (above, below) = new_figure(2, 1, **(PANELS | {"sharex": share_x}))
    return figure, above, below


def _save(figure: Figure, path: Path) -> None:
    for axes in figure.axes:
        axes.grid(alpha=0.25)
    save(figure, path)


def _title(record: dict) -> str:
    options = record["options"]
    size = "x".join(map(str, record["lattice"]))
    quark = f"mass {record['mass']:.6g}"
    if options["kappa"] is not None:
        quark = f"kappa {options['kappa']:g}"
    return (
        f"pseudoscalar correlator, {size}, {options['dslash']} {quark}, "
        f"plaquette {record['plaquette']:.5f}"
    )
