"""The output that the Graph500 specification asks for about the searches."""

import numpy as np

RULES = ("no_cycle", "tree_levels", "edge_levels", "whole_component", "tree_edges_exist")


def _spread(name: str, values: np.ndarray) -> dict[str, float]:
    quartiles = np.percentile(values, [0, 25, 50, 75, 100]).tolist()
    names = ("min", "firstquartile", "median", "thirdquartile", "max")
    return {f"{which}_{name}": value for which, value in zip(names, quartiles, strict=True)}


def _mean(name: str, values: np.ndarray) -> dict[str, float | None]:
    deviation = float(values.std(ddof=1)) if len(values) > 1 else None
    return {f"mean_{name}": float(values.mean()), f"stddev_{name}": deviation}


def _harmonic_mean(rates: np.ndarray) -> dict[str, float | None]:
    """Returns the harmonic mean with its standard error, from that of the mean of the inverse
    rates."""
    mean = float(len(rates) / np.sum(1 / rates))
    error = None
    if len(rates) > 1:
        error = float(mean**2 * np.sqrt(np.sum((1 / rates - 1 / mean) ** 2)) / (len(rates) - 1))
    return {"harmonic_mean_teps": mean, "harmonic_stddev_teps": error}


def output_fields(samples: list[dict]) -> dict[str, float | None]:
    """Returns times, edges and rates of the searches; None for what a single search cannot tell."""
    times, edges, rates = (
        np.array([sample[name] for sample in samples], dtype=float)
        for name in ("time_s", "edges", "teps")
    )
    return {
        "nbfs": len(samples),
        **_spread("time", times),
        **_mean("time", times),
        **_spread("nedge", edges),
        **_mean("nedge", edges),
        **_spread("teps", rates),
        **_harmonic_mean(rates),
    }
