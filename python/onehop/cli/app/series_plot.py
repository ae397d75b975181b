"""Pictures of applications whose samples are a series."""

import numpy as np

from onehop.cli.app.panels import BLUE, GREY_LINE, RED
from onehop.counted import by_x, counted
from onehop.estimate_display import with_error
from onehop.figures import COLOURS, new_figure, save, stacked


def plot_sweeps(record: dict, name: str) -> None:
    """Draws two panels over the sweeps of a spin glass: energy per spin of each replica or, with
    tempering, at each temperature, and by how much over-relaxation has changed a replica's."""
    with stacked(name, ("energy per spin", "change by over-relaxation", "sweep")) as (above, below):
        sweeps = [sample["sweep"] for sample in record["samples"]]
        for key, axes in (("energy_per_spin", above), ("drift", below)):
            for series in zip(*(sample[key] for sample in record["samples"]), strict=True):
                axes.plot(sweeps, series, linewidth=1)
        options, result = record["options"], record["result"]
        if "tempering" in result:
            what = f"tempering, betas {options['betas'][0]:g} to {options['betas'][-1]:g}"
        else:
            energy = result["energy_per_spin"]
            above.axhline(energy["mean"], **GREY_LINE, label="mean of the measured sweeps")
            what = f"beta {options['beta']:g}: {with_error(energy['mean'], energy['error'] or 0)}"
            measured = [
                sample["energy_per_spin"]
                for sample in record["samples"]
                if sample["sweep"] > options["thermalise"]
            ]
            low, high = np.min(measured), np.max(measured)
            # What was left out begins far above and would make the rest a line.
            if low < high:
                above.set_ylim(low - 0.5 * (high - low), high + 2 * (high - low))
        start = options["thermalise"] + 0.5
        above.axvline(start, **GREY_LINE, linestyle="--", label="measured from here on")
        above.legend(frameon=False, fontsize=8)
        size = by_x(options["lattice"])
        above.set_title(f"{record['app']}, {size}, {options['disorder']}, {what}", fontsize=10)


def plot_searches(record: dict, name: str) -> None:
    """Draws two panels: the rate of each search with their harmonic mean, and how many vertices
    each has found in which level."""
    labels = ("million edges per second", "vertices", "level")
    with stacked(name, labels, sharex=False) as (above, below):
        rates = [1e-6 * sample["teps"] for sample in record["samples"]]
        above.plot(range(1, len(rates) + 1), rates, "o", markersize=4, color=BLUE)
        mean = 1e-6 * record["result"]["harmonic_mean_teps"]
        above.axhline(mean, **GREY_LINE, label="harmonic mean")
        above.legend(frameon=False)
        above.set_ylim(bottom=0)
        above.set_xlabel("search")
        vertices = f"{record['result']['vertices']} vertices"
        where = f"{record['transport']}, {counted(record['ranks'], 'rank')}"
        title = f"{record['app']}, {vertices}, {where}: {mean:.4g} MTEPS"
        above.set_title(title, fontsize=10)
        for sample in record["samples"]:
            counts = sample["vertices_by_level"]
            style = {"markersize": 3, "linewidth": 0.7, "alpha": 0.3, "color": RED}
            below.semilogy(range(len(counts)), counts, "o-", **style)
        below.xaxis.get_major_locator().set_params(integer=True)


def plot_latencies(record: dict, name: str) -> None:
    """Draws two panels over the latency, for each wire: the share of the decisions in each of 20
    intervals of a decade, and the share that came later; a line shows the deadline."""
    labels = ("share of the decisions", "share that is later", "time from event to decision (us)")
    with stacked(name, labels) as (above, below):
        drawn = [sample for sample in record["samples"] if sample["decided"]]
        for sample, colour in zip(drawn, (BLUE, RED), strict=False):
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
            axes.axvline(options["deadline_us"], **GREY_LINE, linestyle="--", label="deadline")
            axes.set(xscale="log", yscale="log")
        above.legend(frameon=False)
        above.set_title(
            f"{record['app']}, {options['events_per_s']:.4g} events per second, "
            f"{record['transport']}, deadline {options['deadline_us']:g} us",
            fontsize=10,
        )


def plot_rounds(record: dict, name: str) -> None:
    """Draws two panels over the bytes that an echo sends, for each variant: the time of a round
    with its quartiles, and by how much it is longer than that of the smallest size."""
    with stacked(name, ("there and back (us)", "growth (us)", "bytes sent")) as (above, below):
        # The first of variants that take the same time are seen around the last.
        widths = (4, 2.5, 1)
        for variant, colour, width in zip(
            record["options"]["variants"], COLOURS, widths, strict=False
        ):
            of = [sample for sample in record["samples"] if sample["variant"] == variant]
            sizes = [sample["size_bytes"] for sample in of]
            times = [sample["round_us"] for sample in of]
            medians = np.array([time["median"] for time in times])
            low, high = ([time[f"{q}quartile"] for time in times] for q in ("first", "third"))
            line = {"color": colour, "linewidth": width, "markersize": 3 + width}
            above.plot(sizes, medians, "o-", label=variant, **line)
            above.fill_between(sizes, low, high, color=colour, alpha=0.2, linewidth=0)
            below.plot(sizes, medians - medians[0], "o-", **line)
        above.set_xscale("log", base=2)
        above.set_ylim(bottom=0)
        above.legend(frameon=False)
        above.set_title(f"{record['app']}, {record['transport']}", fontsize=10)


def plot_pushes(record: dict, name: str) -> None:
    """Draws one row for each buffer: a bar for each push of a chunk in it, with the chunk's number.
    What is free between two bars the worker has waited for copies."""
    figure, axes = new_figure(1, 1, figsize=(6.4, 2.6))
    for sample in record["samples"]:
        begin, end = 1e-3 * sample["begin_us"], 1e-3 * sample["end_us"]
        row = sample["buffer"]
        axes.barh(row, end - begin, left=begin, height=0.6, color=COLOURS[row % 3])
        words = {"ha": "center", "va": "center", "color": "white", "fontsize": 8}
        axes.text((begin + end) / 2, row, str(sample["chunk"]), **words)
    axes.set_yticks(range(record["options"]["buffers"]))
    axes.invert_yaxis()
    axes.set(
        ylabel="buffer",
        xlabel="time of the worker (ms); each bar is a push of the chunk with its number",
    )
    axes.grid(alpha=0.25)
    steady = f"{record['result']['steady_ns_per_particle']:.4g} ns per particle and step"
    axes.set_title(f"{record['app']}, {record['transport']}: {steady}", fontsize=10)
    save(figure, name)
