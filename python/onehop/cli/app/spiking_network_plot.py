"""The picture of `onehop app spiking-network`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from onehop.figures import new_figure, save

if TYPE_CHECKING:
    from pathlib import Path

_MOST_MS, _MOST_NEURONS = 1000, 2000
_COLOURS = {"excitatory": "#1f5a92", "inhibitory": "#a8441f"}


def plot_spikes(record: dict, spikes: np.ndarray, path: Path) -> None:
    """Draws two panels over the last second: a dot for each spike (ms, neuron) of the first
    columns, and below how many of all neurons of a kind fire in each millisecond, in Hz."""
    figure, (above, below) = new_figure(2, 1, sharex=True, figsize=(8.4, 6.4), height_ratios=(3, 1))
    options, result = record["options"], record["result"]
    per_column = options["neurons"]
    excitatory = per_column - per_column // 5
    first = max(0, options["ms"] - _MOST_MS)
    shown = spikes[spikes[:, 0] >= first]
    columns = options["columns"][0] * options["columns"][1]
    drawn = min(columns, max(1, _MOST_NEURONS // per_column))
    place = shown[:, 1] % per_column
    for kind, of_kind, size in (
        ("excitatory", place < excitatory, excitatory),
        ("inhibitory", place >= excitatory, per_column - excitatory),
    ):
        ms, neurons = shown[of_kind & (shown[:, 1] < drawn * per_column)].T
        above.plot(
            ms, neurons, ".", markersize=1.2, color=_COLOURS[kind], rasterized=True, label=kind
        )
        counts = np.bincount(shown[of_kind, 0] - first, minlength=options["ms"] - first)
        rates = 1e3 * counts / (size * columns)
        below.plot(
            np.arange(first, options["ms"]), rates, linewidth=0.8, color=_COLOURS[kind], label=kind
        )
    for column in range(1, drawn):
        above.axhline(column * per_column - 0.5, color="grey", linewidth=0.8)
    above.set_ylim(-0.5, drawn * per_column - 0.5)
    above.set_ylabel("neuron")
    size = "x".join(map(str, options["columns"]))
    rates = ", ".join(f"{kind} {hz:.3g} Hz" for kind, hz in result["rate_hz"].items())
    learning = ", STDP" if options["stdp"] else ""
    above.set_title(
        f"{size} columns, {result['synapses']} synapses{learning}: {rates}", fontsize=10
    )
    below.set_xlim(first, options["ms"])
    below.set_ylim(bottom=0, top=1.3 * below.get_ylim()[1])  # the legend lies above the rates
    below.set_ylabel("rate of the kind (Hz)")
    below.set_xlabel("ms")
    below.legend(frameon=False, loc="upper right", ncols=2, fontsize=8)
    below.grid(alpha=0.25)
    save(figure, path)
