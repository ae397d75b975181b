"""Parallel tempering of `onehop app spin-glass`: its temperatures, and its part of the record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from onehop._core import UsageError
from onehop.cli._shared.option import Options
from onehop.cli._shared.values import finite, whole
from onehop.cli.app.averages import mean_and_error

if TYPE_CHECKING:
    from onehop import _apps

_MOST = 65535


def betas(text: str) -> list[float]:
    """Reads B1,B2,... or LOWEST:HIGHEST:N, N of them with equal ratios; raises ValueError."""
    listed = text.split(",")
    found = _with_equal_ratios(text) if ":" in text else [finite(word) for word in listed]
    if found[0] < 0 or any(a >= b for a, b in zip(found, found[1:], strict=False)):
        raise ValueError("betas must be ascending and not below 0")
    if len(found) > _MOST:
        raise ValueError(f"{len(found)} betas are too many; the most is {_MOST}")
    return found


def _with_equal_ratios(text: str) -> list[float]:
    words = text.split(":")
    if len(words) != len(("lowest", "highest", "number")):
        raise ValueError("lowest, highest and how many are needed, as 0.5:1:6")
    lowest, highest, count = finite(words[0]), finite(words[1]), whole(words[2])
    if not 0 < lowest < highest or not 1 < count <= _MOST:
        raise ValueError(
            f"equal ratios need a lowest beta above 0, a higher last one, and 2 to {_MOST} betas"
        )
    return np.geomspace(lowest, highest, count).tolist()


def choose_replicas(options: Options) -> None:
    """Fills in the number of replicas and how often they are exchanged; refuses what does not
    fit."""
    if (options.beta is None) == (options.betas is None):
        raise UsageError("give --beta, or --betas for parallel tempering")
    if options.betas is None:
        if options.exchange_every is not None:
            raise UsageError("--exchange-every is for parallel tempering; it goes with --betas")
        options.replicas = options.replicas or 1
        return
    if options.replicas not in (None, len(options.betas)):
        raise UsageError(
            f"--betas has {len(options.betas)} and --replicas is {options.replicas}; leave "
            "--replicas out"
        )
    options.replicas = len(options.betas)
    if options.exchange_every is None:
        options.exchange_every = 1


def by_place(values: list[float], places: list[int]) -> list[float]:
    """Returns values that are given by replica, in the order of the betas."""
    found = [0.0] * len(values)
    for value, place in zip(values, places, strict=True):
        found[place] = value
    return found


def result(options: Options, tempering: _apps.Tempering, samples: list[dict]) -> dict:
    """Returns averages by beta over the samples that count, and by pair how many exchanges were
    done of those that were tried, from the first sweep on."""
    energies = np.array([sample["energy_per_spin"] for sample in samples])
    return {
        "betas": options.betas,
        "energy_per_spin": [mean_and_error(series) for series in energies.T],
        "exchanges_tried": [pair.tried for pair in tempering.pairs],
        "exchange_rate": [
            pair.swapped / pair.tried if pair.tried else None for pair in tempering.pairs
        ],
    }


def rows(found: dict) -> list[tuple[str, str]]:
    """Returns lines of a table: a beta, its energy, and how often it is exchanged for the next."""
    made = [("beta", "energy per spin, exchange rate with the next beta")]
    rates = [*found["exchange_rate"], None]
    for beta, energy, rate in zip(found["betas"], found["energy_per_spin"], rates, strict=True):
        error = "" if energy["error"] is None else f" +- {energy['error']:.1e}"
        shown = "" if rate is None else f", {rate:.3f}"
        made.append((f"{beta:.6g}", f"{energy['mean']:.8f}{error}{shown}"))
    return made
