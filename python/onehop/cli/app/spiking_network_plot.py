"""The picture of `onehop app spiking-network`."""

import numpy as np

from onehop.cli.app.panels import BLUE, GREY_LINE, RED
from onehop.counted import by_x
from onehop.figures import stacked

_MOST_MS, _MOST_NEURONS = 1000, 2000


def plot_spikes(record: dict, spikes: np.ndarray, name: str) -> None:
    """Draws two panels over the last second: a dot for each spike (ms, neuron) of the first
    columns, and below how many of all neurons of a kind fire in each millisecond, in Hz."""
    options, result = record["options"], record["result"]
    per_column = options["neurons"]
    excitatory = per_column - per_column // 5
    first = max(0, options["ms"] - _MOST_MS)
    shown = spikes[spikes[:, 0] >= first]
    columns = options["columns"][0] * options["columns"][1]
    drawn = min(columns, max(1, _MOST_NEURONS // per_column))
    place = shown[:, 1] % per_column
    labels, shape = ("neuron", "rate of the kind (Hz)", "ms"), {"figsize": (8.4, 6.4)}
    with stacked(name, labels, height_ratios=(3, 1), **shape) as (above, below):
        for kind, of_kind, size, colour in (
            ("excitatory", place < excitatory, excitatory, BLUE),
            ("inhibitory", place >= excitatory, per_column - excitatory, RED),
        ):
            ms, neurons = shown[of_kind & (shown[:, 1] < drawn * per_column)].T
            above.plot(ms, neurons, ".", markersize=1.2, color=colour, rasterized=True, label=kind)
            counts = np.bincount(shown[of_kind, 0] - first, minlength=options["ms"] - first)
            rates, times = 1e3 * counts / (size * columns), np.arange(first, options["ms"])
            below.plot(times, rates, linewidth=0.8, color=colour, label=kind)
        for column in range(1, drawn):
            above.axhline(column * per_column - 0.5, **GREY_LINE)
        above.set_ylim(-0.5, drawn * per_column - 0.5)
        size = by_x(options["columns"])
        rates = ", ".join(f"{kind} {hz:.3g} Hz" for kind, hz in result["rate_hz"].items())
        learning = ", STDP" if options["stdp"] else ""
        title = f"{size} columns, {result['synapses']} synapses{learning}: {rates}"
        above.set_title(title, fontsize=10)
        below.set_xlim(first, options["ms"])
        below.set_ylim(bottom=0, top=1.3 * below.get_ylim()[1])  # the legend lies above the rates
        below.legend(frameon=False, loc="upper right", ncols=2, fontsize=8)
