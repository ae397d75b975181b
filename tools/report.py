"""`make report` measures this machine, predicts others, and puts all of it on one page."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

ONEHOP = str(Path(sys.executable).with_name("onehop"))
QUICK = ("--min-time", "0.1", "--max-time", "0.4")
CURVE = ("--sizes", "8:1048576", *QUICK)
# Every byte is packed and read in every step, as a halo's are.
PACKED = ("--sizes", "96:786432", "--pack", "direct", *QUICK)
ALONE = ("--lattice", "8", "8", "8", "8", "--start", "hot", "--seed", "1")
LATTICE = ("--lattice", "8", "8", "8", "16", *ALONE[5:], "--ranks", "2")
DSLASH = ("bench", "dslash", "--threads", "2")
SCALE = ("scale", "--lattice", "64", "64", "64", "128")

# Each record has a name and the words by which it is made.
RECORDS = {
    "latency": ("bench", "latency", *CURVE),
    "bandwidth": ("bench", "bandwidth", *CURVE),
    "pingping_1": ("bench", "pingping", *CURVE, "--channels", "1"),
    "pingping_2": ("bench", "pingping", *CURVE, "--channels", "2"),
    "pingping_4": ("bench", "pingping", *CURVE, "--channels", "4"),
    "pingping_8": ("bench", "pingping", *CURVE, "--channels", "8"),
    "packed_1": ("bench", "pingping", *PACKED, "--messages", "1"),
    "packed_2": ("bench", "pingping", *PACKED, "--messages", "2"),
    "packed_4": ("bench", "pingping", *PACKED, "--messages", "4"),
    "allreduce": ("bench", "allreduce", "--sizes", "8", *QUICK),
    "halo": ("bench", "halo", "--sizes", "96:98304", *QUICK),
    "dslash_in_cache": (*DSLASH, "--lattice", "8", "8", "8", "8"),
    "dslash": (*DSLASH, "--lattice", "16", "16", "16", "32"),
    "dslash_12_reals": (*DSLASH, "--lattice", "16", "16", "16", "32", "--recon", "12"),
    "dslash_double": (*DSLASH, "--lattice", "16", "16", "16", "32", "--prec", "double"),
    "wilson_alone": ("solve", *ALONE, "--kappa", "0.12"),
    "wilson": ("solve", *LATTICE, "--kappa", "0.12"),
    "staggered": ("solve", *LATTICE, "--dslash", "staggered", "--mass", "0.1"),
    "scale_as_built": SCALE,
    "scale_same_node": (*SCALE, "--node-gflops", "500"),
}
# These need what a machine may not have.
OPTIONAL = {
    "latency_mpi": ("bench", "latency", *CURVE, "--transport", "mpi_p2p"),
    "packed_mpi_1": ("bench", "pingping", *PACKED, "--transport", "mpi_p2p"),
    "packed_mpi_4": (
        *("bench", "pingping", *PACKED),
        *("--messages", "4", "--transport", "mpi_p2p"),
    ),
    "halo_mpi": ("bench", "halo", "--sizes", "96:98304", *QUICK, "--transport", "mpi_p2p"),
}


def make(name: str, words: tuple[str, ...], folder: Path) -> Path | None:
    """Makes the record's file; returns None when the command failed."""
    path = folder / f"{name}.json"
    command = [*words, "--json", str(path)]
    print(f"$ onehop {shlex.join(command)}", flush=True)
    done = subprocess.run([ONEHOP, *command], stdout=subprocess.DEVNULL)
    return path if done.returncode == 0 else None


def main() -> int:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    needed = [make(name, words, folder) for name, words in RECORDS.items()]
    if None in needed:
        return 2
    extra = [make(name, words, folder) for name, words in OPTIONAL.items()]
    files = [str(path) for path in (*needed, *extra) if path is not None]
    page = str(folder / "report.html")
    return subprocess.run([ONEHOP, "report", *files, "-o", page]).returncode


if __name__ == "__main__":
    sys.exit(main())
