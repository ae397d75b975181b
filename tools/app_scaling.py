"""app_scaling.py APP [--ranks LIST] [--transport WIRE] [--strong]

Prints a table of weak scaling of an application, or of strong scaling with --strong, by a run of
`onehop app` for each number of ranks. In weak scaling every rank keeps its own part of the problem;
efficiency is the time of a step of the first number of ranks over that of this one, and in strong
scaling what that makes of the ranks. On `virtual:PLATFORM` times are those of the machine.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable


def _cut(ranks: int, dimensions: int) -> list[int]:
    """Returns an even grid of a power of two, the last extent the largest."""
    grid, mu = [1] * dimensions, dimensions - 1
    while ranks > 1:
        grid[mu] *= 2
        ranks //= 2
        mu = (mu - 1) % dimensions
    return grid


def _extents(block: int, grid: list[int]) -> list[str]:
    return [str(block * extent) for extent in grid]


def _fluid(grid: list[int], ranks: int) -> list[str]:
    size = _extents(16, grid)
    return ["--setup", "taylor-green", "--lattice", *size, "--grid", *map(str, _cut(ranks, 3))]


def _plasma(grid: list[int], ranks: int) -> list[str]:
    size = _extents(8, grid)
    return ["--setup", "thermal", "--lattice", *size, "--grid", *map(str, _cut(ranks, 3))]


def _network(grid: list[int], ranks: int) -> list[str]:
    columns = ["--columns", *_extents(2, grid), "--grid", *map(str, _cut(ranks, 2))]
    return [*columns, "--neurons", "100", "--synapses", "20", "--discard", "0"]


# The words of a problem by its grid of blocks and the ranks, its dimensions, and what counts steps.
APPS: dict[str, tuple[Callable[[list[int], int], list[str]], int, tuple[str, int]]] = {
    "lattice-boltzmann": (_fluid, 3, ("--steps", 10)),
    "particle-in-cell": (_plasma, 3, ("--steps", 10)),
    "spiking-network": (_network, 2, ("--ms", 50)),
}


def _run(app: str, blocks: int, ranks: int, wire: str) -> tuple[float, float]:
    """Returns the microseconds of a step and the seconds of the command."""
    words_of, dimensions, (option, steps) = APPS[app]
    words = [*words_of(_cut(blocks, dimensions), ranks), option, str(steps), "--samples", "1"]
    if wire.startswith("virtual:"):
        words += ["--memory", "device"]
    begun = time.monotonic()
    command = ["onehop", "app", app, *words, "--transport", wire, "--json", "-"]
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode == 2 or not ended.stdout:
        sys.exit(f"app_scaling: {' '.join(command)} failed: {ended.stderr.strip()}")
    record = json.loads(ended.stdout)
    if not record["check"]["passed"]:
        sys.exit(f"app_scaling: a run on {ranks} ranks is not right: {record['check']['why']}")
    return 1e6 * record["timing"]["steps_s"] / steps, time.monotonic() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("app", choices=APPS)
    parser.add_argument("--ranks", default="1,8,64,512,4096", help="powers of two, ascending")
    parser.add_argument("--transport", default="virtual:apenet-v4")
    parser.add_argument("--strong", action="store_true")
    options = parser.parse_args()
    counts = [int(word) for word in options.ranks.split(",")]
    if any(n < 1 or n & (n - 1) for n in counts) or sorted(set(counts)) != counts:
        parser.error("--ranks needs powers of two, ascending, as 1,8,64")
    print("| ranks | us per step | efficiency | the command took |\n| --- | --- | --- | --- |")
    first = None
    for ranks in counts:
        wire = "self" if ranks == 1 and options.transport == "shm" else options.transport
        step, took = _run(options.app, counts[-1] if options.strong else ranks, ranks, wire)
        first = step if first is None else first
        share = first / step / (ranks / counts[0] if options.strong else 1)
        print(f"| {ranks} | {step:.4g} | {100 * share:.0f} % | {took:.0f} s |", flush=True)


if __name__ == "__main__":
    main()
