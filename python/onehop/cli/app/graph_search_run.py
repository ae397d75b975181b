"""`onehop app graph-search`."""

import time
from collections.abc import Sequence

import numpy as np

from onehop import _apps, _core
from onehop._core import UsageError
from onehop.cli._shared.option import Options
from onehop.cli.app import graph_search_input, graph_search_partition, running
from onehop.cli.app.graph500 import RULES, output_fields
from onehop.cli.app.series_plot import plot_searches
from onehop.counted import counted
from onehop.text_table import aligned


def run(options: Options, arguments: Sequence[str]) -> int:
    """Runs the command; whatever can be refused is refused here, before any rank starts."""
    graph_search_partition.choose_partition(options)
    graph_search_input.check(options)
    return running.start(arguments, options, _run_on_rank)


def _run_on_rank(context: _core.Context, options: Options) -> int:
    started = time.monotonic()
    vertices, edges = graph_search_input.part_of_rank(context, options)
    generation_s = time.monotonic() - started
    rows = graph_search_partition.rows(options)
    graph = _apps.make_graph_search(context, vertices, edges, options.variant, rows)
    del edges
    samples, trees = _searches(context, graph, options)
    if context.rank != 0:
        return 0
    broken = sum(sum(sample["broken_rules"].values()) for sample in samples)
    found = {
        "samples": samples,
        "result": {
            "scale": options.scale,
            "edgefactor": options.edgefactor,
            "vertices": vertices,
            "graph_generation": generation_s,
            "construction_time": graph.construction_s,
            **output_fields(samples),
        },
        "check": running.none_wrong(
            broken,
            "vertices and edges that break one of the five rules of validation",
            f"vertices or edges of {counted(len(samples), 'search', 'searches')} break one of the "
            "five rules",
        ),
        "timing": {
            "generation_s": generation_s,
            "construction_s": graph.construction_s,
            "searches_s": sum(sample["time_s"] for sample in samples),
        },
    }
    app, verdicts = "graph-search", ("valid", "NOT VALID")
    status = running.report(app, context, options, started, found, _table, verdicts, plot_searches)
    for name, kind in ((options.parents, 0), (options.levels, 1)):
        if name:
            running.save_array(name, np.stack([tree[:, kind] for tree in trees]))
    return status


def _searches(
    context: _core.Context, graph: _apps.GraphSearch, options: Options
) -> tuple[list[dict], list[np.ndarray]]:
    """Returns a sample for each search and, if trees are written, its tree."""
    first = context.rank == 0
    roots = graph.roots(options.roots, options.seed)
    if not roots:
        raise UsageError("the graph has no edge between two vertices, so nothing to search")
    samples, trees = [], []
    with running.progress("graph-search", context, options, len(roots)) as progress:
        for number, root in enumerate(roots, 1):
            samples.append(_sample(graph.run(root)))
            if first and (options.levels or options.parents):
                trees.append(graph.tree())
            rate = f"{1e-6 * samples[-1]['teps']:.4g} million edges per second"
            progress.update(number, f"search {number}/{len(roots)}, {rate}")
    return samples, trees


def _sample(found: _apps.SearchReport) -> dict:
    levels = found.levels
    return {
        "root": found.root,
        "time_s": found.time_s,
        "edges": found.edges,
        "teps": found.edges / found.time_s,
        "reached": sum(level.vertices for level in levels),
        "vertices_by_level": [level.vertices for level in levels],
        "edges_by_level": [level.edges for level in levels],
        "told_by_level": [level.told for level in levels],
        "bottom_up_by_level": [level.bottom_up for level in levels],
        "broken_rules": dict(zip(RULES, found.rule_breaks, strict=True)),
    }


def _rate(value: float) -> str:
    return f"{1e-6 * value:.4g}"


def _table(record: dict) -> str:
    options, result = record["options"], record["result"]
    of = f"{options['edgefactor']} * 2^{options['scale']} edges, seed {options['seed']}"
    mean, error = result["harmonic_mean_teps"], result["harmonic_stddev_teps"]
    spread = "" if error is None else f" +- {_rate(error)}"
    rows = [
        (
            "graph",
            f"{result['vertices']} vertices, {options['edges'] or of}, "
            f"{counted(record['ranks'], 'rank')} in {options['partition']}, "
            f"{record['transport']}",
        ),
        ("construction", f"{result['construction_time']:.4g} s"),
        (
            "searches",
            f"{result['nbfs']}, {options['variant']}, to {result['median_nedge']:.0f} edges, "
            f"in {1e3 * result['median_time']:.4g} ms (medians)",
        ),
        ("harmonic mean", f"{_rate(mean)}{spread} million edges per second"),
        (
            "quartiles",
            ", ".join(
                _rate(result[f"{which}_teps"])
                for which in ("min", "firstquartile", "median", "thirdquartile", "max")
            ),
        ),
    ]
    return aligned(rows)
