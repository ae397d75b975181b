"""python tools/app_peers PEER [--python PYTHON] [--pairs N]

Runs an application and another program that computes the same, in turns on one core, and prints how
fast both are and how far their results are apart:

  lbmpy   a fluid of one phase (lattice-boltzmann): density and velocity after 100 steps
  fbpic   the wake of a laser pulse (particle-in-cell): its amplitude and phase
  brian2  a column of neurons (spiking-network): rates and CV of intervals

The other program is a package from PyPI, in an environment of its own: PYTHON is its interpreter,
this one unless it is given. The command ends with 1 where results differ by more than they may, and
says so and ends with 0 where the package is not there.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_HERE = Path(__file__).parent
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
) | {"FBPIC_DISABLE_THREADING": "1"}


@dataclass
class Pair:
    """What a run of the application and one of its peer have found. Rates are in the unit of the
    comparison, more being faster."""

    ours: dict
    theirs: dict


@dataclass
class Comparison:
    """`run_ours` and `words_of_peer` take the number of the pair and a folder that both share.
    `differences` says of all pairs what is compared, how far it is apart and how far it may be."""

    unit: str
    pairs: int
    run_ours: Callable[[int, Path], dict]
    words_of_peer: Callable[[int, Path], list[str]]
    differences: Callable[[list[Pair]], list[tuple[str, float, float]]]


def _answer(command: list[str], name: str) -> dict:
    ended = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **_ONE_THREAD}
    )
    if ended.returncode or not ended.stdout:
        sys.exit(f"app_peers: {name} failed: {ended.stderr.strip().splitlines()[-1:]}")
    return json.loads(ended.stdout.strip().splitlines()[-1])


def _record(app: str, *words: object) -> dict:
    """Returns the record of a run of an application."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "record.json"
        command = ["onehop", "app", app, *map(str, words), "--samples", "1", "--json", str(path)]
        ended = subprocess.run(command, capture_output=True, text=True)
        if ended.returncode == 2:
            sys.exit(f"app_peers: onehop app {app} failed: {ended.stderr.strip()}")
        return json.loads(path.read_text())


def _fluid(extents: list[int], magic: float | None) -> Comparison:
    speed, tau, steps = 0.05, 0.53, 100
    collision = ["bgk"] if magic is None else ["trt", "--magic", magic]

    def ours(number: int, folder: Path) -> dict:
        where = folder / f"ours{number}.h5"
        words = ("--setup", "taylor-green", "--lattice", *extents, "--tau", tau, "--steps", steps)
        how = ("--velocity", speed, "--collision", *collision, "--fields", where)
        return {"rate": _record("lattice-boltzmann", *words, *how)["result"]["mlups"]}

    def peer(number: int, folder: Path) -> list[str]:
        words = [*extents, speed, tau, steps, magic or 0, folder / f"theirs{number}.npz"]
        return ["lbmpy_flow.py", *map(str, words)]

    def differences(pairs: list[Pair]) -> list[tuple[str, float, float]]:
        apart = [pair.theirs["apart"] for pair in pairs]
        return [(name, max(a[name] for a in apart), 1e-12) for name in ("density", "velocity")]

    return Comparison("million cells per second", 5, ours, peer, differences)


def _fields_apart(pair: Pair, number: int, folder: Path) -> None:
    """Puts how far the fields of a pair are apart into it."""
    import h5py
    import numpy as np

    with h5py.File(folder / f"ours{number}.h5", "r") as file:
        density, velocity = file["density"][:].T, file["velocity"][:].transpose(3, 2, 1, 0)
    theirs = np.load(folder / f"theirs{number}.npz")
    pair.theirs["apart"] = {
        "density": float(np.abs(density - theirs["density"]).max()),
        "velocity": float(np.abs(velocity - theirs["velocity"]).max()),
    }


def _wake(lattice: list[int]) -> Comparison:
    a0, frequency, waist, duration = 0.1, 6.0, 4.0, 2**0.5

    def ours(number: int, folder: Path) -> dict:
        result = _record("particle-in-cell", "--setup", "wakefield", "--lattice", *lattice)[
            "result"
        ]
        if result["wake_amplitude"] is None:
            size = "x".join(map(str, lattice))
            sys.exit(
                f"app_peers: a lattice of {size} shows too little of the wake; give 512 or more"
            )
        rate = 1e3 / result["ns_per_particle_step"]
        return {
            "rate": rate,
            "amplitude": result["wake_amplitude"] / result["expected_wake_amplitude"],
            "phase": result["wake_phase"],
        }

    def peer(number: int, folder: Path) -> list[str]:
        words = [a0, frequency, waist, duration, lattice[0], lattice[1] // 2]
        return ["fbpic_wake.py", *map(str, words)]

    def differences(pairs: list[Pair]) -> list[tuple[str, float, float]]:
        pair = pairs[-1]
        turn = (pair.ours["phase"] - pair.theirs["phase"]) / (2 * math.pi)
        return [
            ("amplitude", abs(pair.ours["amplitude"] / pair.theirs["amplitude"] - 1), 0.05),
            ("phase, in wavelengths", abs(turn - round(turn)), 0.05),
        ]

    return Comparison("million particle steps per second", 1, ours, peer, differences)


def _neurons(ms: int) -> Comparison:
    def ours(number: int, folder: Path) -> dict:
        words = ("--columns", 1, 1, "--ms", ms, "--discard", ms // 5, "--seed", number + 1)
        record = _record("spiking-network", *words)
        found = {name: record["result"][name] for name in ("rate_hz", "interval_cv")}
        return {"rate": 1 / record["result"]["ms_per_ms"], **found}

    def peer(number: int, folder: Path) -> list[str]:
        return ["brian2_network.py", str(ms), str(ms // 5), str(number + 1)]

    def differences(pairs: list[Pair]) -> list[tuple[str, float, float]]:
        found = []
        for name in ("rate_hz", "interval_cv"):
            for kind in ("excitatory", "inhibitory"):
                ours, theirs = (
                    statistics.fmean(getattr(pair, side)[name][kind] for pair in pairs)
                    for side in ("ours", "theirs")
                )
                found.append((f"mean {name}, {kind}", abs(ours / theirs - 1), 0.03))
        return found

    return Comparison("seconds of the network per second", 12, ours, peer, differences)


def _pairs(chosen: Comparison, python: str, count: int, fields: bool) -> list[Pair]:
    """Runs both in turns; which of them begins changes from pair to pair."""
    pairs = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            script, *words = chosen.words_of_peer(number, Path(folder))
            command = [python, str(_HERE / script), *words]

            def theirs(command: list[str] = command, script: str = script) -> dict:
                return _answer(command, script)

            if number % 2:
                found = theirs()
                pair = Pair(chosen.run_ours(number, Path(folder)), found)
            else:
                pair = Pair(chosen.run_ours(number, Path(folder)), theirs())
            if fields:
                _fields_apart(pair, number, Path(folder))
            pairs.append(pair)
            both = f"{pair.ours['rate']:.4g} and {pair.theirs['rate']:.4g}"
            print(f"pair {number + 1} of {count}: {both} {chosen.unit}", file=sys.stderr)
    return pairs


def _tell(peer: str, chosen: Comparison, pairs: list[Pair]) -> bool:
    print("| | median | from | to |\n| --- | --- | --- | --- |")
    ratios = [pair.ours["rate"] / pair.theirs["rate"] for pair in pairs]
    rows = {
        f"onehop, {chosen.unit}": [pair.ours["rate"] for pair in pairs],
        f"{peer}, {chosen.unit}": [pair.theirs["rate"] for pair in pairs],
        "onehop over it, pair by pair": ratios,
    }
    for name, values in rows.items():
        shown = (statistics.median(values), min(values), max(values))
        print(f"| {name} | " + " | ".join(f"{value:.4g}" for value in shown) + " |")
    right = True
    for what, apart, most in chosen.differences(pairs):
        right = right and apart < most
        print(f"{what}: {apart:.2g} apart, {'below' if apart < most else 'NOT below'} {most:g}")
    return right


def main() -> int:
    parser = argparse.ArgumentParser(prog="app_peers", description=__doc__.splitlines()[2])
    parser.add_argument("peer", choices=("lbmpy", "fbpic", "brian2"))
    parser.add_argument("--python", default=sys.executable, help="the peer's interpreter")
    parser.add_argument("--pairs", type=int, help="runs of each (default: 5, 1 or 12)")
    parser.add_argument("--lattice", type=int, nargs="+", help="of lbmpy and fbpic")
    parser.add_argument("--collision", choices=("bgk", "trt"), default="bgk", help="of lbmpy")
    parser.add_argument("--ms", type=int, default=60000, help="of brian2")
    options = parser.parse_args()
    there = subprocess.run([options.python, "-c", f"import {options.peer}"], capture_output=True)
    if there.returncode:
        print(f"no {options.peer} in {options.python}; nothing is compared")
        return 0
    if options.peer == "lbmpy":
        magic = 3 / 16 if options.collision == "trt" else None
        chosen = _fluid(options.lattice or [80, 80, 80], magic)
    elif options.peer == "fbpic":
        chosen = _wake(options.lattice or [512, 320])
    else:
        chosen = _neurons(options.ms)
    count = options.pairs or chosen.pairs
    pairs = _pairs(chosen, options.python, count, fields=options.peer == "lbmpy")
    return 0 if _tell(options.peer, chosen, pairs) else 1


if __name__ == "__main__":
    sys.exit(main())
