"""`onehop app spiking-network`."""

import math
import time
from collections.abc import Sequence

import numpy as np

from onehop import _apps, _core, collectives
from onehop._core import UsageError
from onehop.cli._shared import job, rank_grid
from onehop.cli._shared.option import Options
from onehop.cli.app import ranks_together, running
from onehop.cli.app.spiking_network_plot import plot_spikes
from onehop.counted import by_x, counted
from onehop.text_table import aligned

_KINDS = ("excitatory", "inhibitory")


def run(options: Options, arguments: Sequence[str]) -> int:
    """Runs the command; whatever can be refused is refused here, before any rank starts."""
    rank_grid.choose_grid(options, options.columns, even=False)
    if options.discard is None:
        options.discard = options.ms // 5
    if options.discard >= options.ms:
        raise UsageError(f"--discard {options.discard} leaves nothing of --ms {options.ms}")
    neurons = math.prod(options.columns) * options.neurons
    if neurons >= 2**32:
        raise UsageError(f"--columns and --neurons make {neurons} neurons; 2^32 - 1 are possible")
    _check_memory(options, neurons)
    return running.start(arguments, options, _run_on_rank)


def _check_memory(options: Options, neurons: int) -> None:
    """A synapse has target and weight, and where it is plastic three numbers more; a source has a
    number for each delay, in its own column's rank and, of several, in those around."""
    synapse = 20 if options.stdp else 8
    heard = 1 if options.ranks == 1 else min(13, options.ranks)
    needed = neurons * (options.synapses * synapse + 4 * options.delay * heard + 60)
    what = f"{neurons} neurons with --synapses {options.synapses} take"
    job.check_memory(needed, what, "choose a smaller network")


def _run_on_rank(context: _core.Context, options: Options) -> int:
    started = time.monotonic()
    network = _apps.make_spiking_network(
        context, options.grid, _settings(options), options.discard, _keeps_spikes(options)
    )
    setup_s = time.monotonic() - started
    samples = _samples(context, network, options)
    kinds, counts, checksum = network.kinds(), network.counts(), network.checksum()
    weight = network.mean_weight()
    timing = ranks_together.slowest(context, network.times, ("steps_s", "exchange_s"))
    spikes = _all_spikes(context, network) if _keeps_spikes(options) else None
    if context.rank != 0:
        return 0
    result = _result(context, options, kinds, counts, timing["steps_s"])
    found = {
        "kernels": network.kernels,
        "samples": samples,
        "result": result | {"mean_weight": weight, "checksum": f"{checksum:016x}"},
        "check": _check(counts),
        "timing": {"setup_s": setup_s, **timing},
    }

    def draw(record: dict, name: str) -> None:
        plot_spikes(record, spikes, name)

    app, verdicts = "spiking-network", ("kept", "NOT KEPT")
    status = running.report(app, context, options, started, found, _table, verdicts, draw)
    if options.spikes:
        running.save_array(options.spikes, spikes)
    return status


def _settings(options: Options) -> _apps.NetworkSettings:
    settings = _apps.NetworkSettings()
    settings.columns_x, settings.columns_y = options.columns
    settings.neurons, settings.synapses = options.neurons, options.synapses
    settings.delay_ms, settings.local = options.delay, options.local
    settings.excitation, settings.inhibition = options.excitation, options.inhibition
    settings.stimulus_hz, settings.plastic = options.stimuli, options.stdp
    settings.seed = options.seed
    return settings


def _keeps_spikes(options: Options) -> bool:
    return bool(options.spikes or options.plot)


def _neurons(options: Options) -> tuple[int, int]:
    """Returns how many excitatory and how many inhibitory neurons there are."""
    columns = math.prod(options.columns)
    excitatory = options.neurons - options.neurons // 5
    return columns * excitatory, columns * (options.neurons - excitatory)


def _samples(context: _core.Context, network: _apps.SpikingNetwork, options: Options) -> list[dict]:
    """Returns the rates of both kinds between times that are evenly spaced."""
    count, done, before = min(options.samples, options.ms), 0, (0, 0)
    found = []
    with running.progress("spiking-network", context, options, options.ms) as progress:
        for number in range(1, count + 1):
            ms = options.ms * number // count
            network.advance(ms - done)
            spikes = tuple(kind.spikes for kind in network.kinds())
            found.append({"ms": ms})
            for kind, now, last, of in zip(_KINDS, spikes, before, _neurons(options), strict=True):
                found[-1][f"{kind}_hz"] = 1e3 * (now - last) / of / (ms - done)
            done, before = ms, spikes
            progress.update(ms, f"{ms}/{options.ms} ms, {sum(spikes)} spikes")
    return found


def _all_spikes(context: _core.Context, network: _apps.SpikingNetwork) -> np.ndarray | None:
    """Returns all ranks' spikes (spikes, 2) on rank 0, by millisecond and neuron. Collective."""
    mine = network.spikes()
    none = np.empty(0, mine.dtype)
    lists = collectives.alltoallv(context, [mine.ravel(), *[none] * (context.size - 1)])
    if context.rank != 0:
        return None
    spikes = np.concatenate(lists).reshape(-1, 2)
    return spikes[np.lexsort((spikes[:, 1], spikes[:, 0]))]


def _result(
    context: _core.Context,
    options: Options,
    kinds: Sequence[_apps.NeuronStatistics],
    counts: _apps.NetworkCounts,
    steps_s: float,
) -> dict:
    rate = counts.delivered / steps_s if steps_s else None
    seconds = 1e-3 * (options.ms - options.discard)
    of_kind = list(zip(_KINDS, kinds, _neurons(options), strict=True))
    return {
        "neurons": sum(_neurons(options)),
        "synapses": counts.synapses,
        "spikes": sum(kind.spikes for kind in kinds),
        "rate_hz": {name: kind.counted / of / seconds for name, kind, of in of_kind},
        "interval_cv": {name: kind.interval_variation for name, kind, _ in of_kind},
        "sent": counts.sent,
        "synaptic_events": counts.delivered,
        "events_per_s": rate,
        "events_per_s_and_rank": None if rate is None else rate / context.size,
        "ms_per_ms": 1e3 * steps_s / options.ms,
    }


def _check(counts: _apps.NetworkCounts) -> dict:
    lost = abs(counts.sent - counts.received), abs(counts.due - counts.delivered)
    passed = sum(lost) == 0
    found = f"{counts.sent} spikes sent and {counts.delivered} events at synapses"
    return {
        "passed": passed,
        "what": "spikes sent and not received, and events due and not delivered",
        "value": sum(lost),
        "limit": 0,
        "why": f"all of {found} have arrived"
        if passed
        else f"of {found}, {lost[0]} spikes and {lost[1]} events are lost or too many",
    }


def _number(value: float | None, digits: str, unit: str = "") -> str:
    return "-" if value is None else f"{value:{digits}}{unit}"


def _table(record: dict) -> str:
    options, result, timing = record["options"], record["result"], record["timing"]
    size, grid = (by_x(options[name]) for name in ("columns", "grid"))
    rates, variations = result["rate_hz"], result["interval_cv"]
    pace = "-"
    if result["events_per_s"] is not None:
        pace = (
            f"{1e-6 * result['events_per_s']:.4g} million synaptic events per second, "
            f"{1e-6 * result['events_per_s_and_rank']:.4g} million per rank"
        )
    rows = [
        (
            "columns",
            f"{size} of {options['neurons']} neurons on grid {grid}, "
            f"{counted(record['ranks'], 'rank')}, {record['transport']}",
        ),
        (
            "synapses",
            f"{result['synapses']}, delays to {options['delay']} ms"
            + (f", STDP: mean weight {result['mean_weight']:.4f}" if options["stdp"] else ""),
        ),
        ("steps", f"{options['ms']} of 1 ms, seed {options['seed']}, kernels {record['kernels']}"),
        ("spikes", f"{result['spikes']}, checksum {result['checksum']}"),
        ("rate", ", ".join(f"{kind} {rates[kind]:.4g} Hz" for kind in _KINDS)),
        (
            "interval CV",
            ", ".join(f"{kind} {_number(variations[kind], '.4f')}" for kind in _KINDS),
        ),
        ("pace", f"{pace}; {result['ms_per_ms']:.4g} ms per ms"),
        ("time", f"steps {timing['steps_s']:.3g} s, of it exchange {timing['exchange_s']:.3g} s"),
    ]
    return aligned(rows)
