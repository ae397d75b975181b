"""`make demo` makes a configuration, then its pion correlator on 4 and on 2 ranks."""

from __future__ import annotations

import importlib.util
import json
import shlex
import subprocess
import sys
from pathlib import Path

FOLDER = Path("build/demo")
ONEHOP = str(Path(sys.executable).with_name("onehop"))


def onehop(*words: str) -> str:
    """Runs a command, shows it, and returns its standard output."""
    print(f"$ onehop {shlex.join(words)}", flush=True)
    done = subprocess.run([ONEHOP, *words], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        print(done.stdout, end="")
        sys.exit(done.returncode)
    return done.stdout


def correlator(name: str) -> list[float]:
    return json.loads((FOLDER / name).read_text())["correlator"]


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    config, picture = str(FOLDER / "b6.0_8x8x8x16.nersc"), str(FOLDER / "pion.png")
    generate = ["generate", "--lattice", "8", "8", "8", "16", "--beta", "6.0", "--ranks", "2"]
    print(onehop(*generate, "--sweeps", "60", "--verbose", "-o", config))
    solve = ["solve", config, "--kappa", "0.14", "--verbose"]
    onehop(*solve, "--ranks", "4", "--json", str(FOLDER / "four_ranks.json"))
    two = ["--ranks", "2", "--plot", picture, "--json", str(FOLDER / "two_ranks.json")]
    table = onehop(*solve, *two)
    pairs = zip(correlator("two_ranks.json"), correlator("four_ranks.json"), strict=True)
    worst = max(abs(a / b - 1) for a, b in pairs)
    print(f"The correlator on 2 and on 4 ranks differs by at most {worst:.1e}.")
    print(f"Picture: {picture}; records: {FOLDER}/*.json\n")
    print(table, end="")
    if importlib.util.find_spec("onehop._apps") is None:
        print(
            "\nmake install adds what the demo does without: applications, benchmarks, fits, "
            "reports, MPI library"
        )


if __name__ == "__main__":
    main()
