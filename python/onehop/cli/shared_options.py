"""Options that several commands have."""

from __future__ import annotations

from onehop.cli.options import Option
from onehop.cli.values import extents, file_name, output_name, whole

MOST_SEED = 2**64 - 1

RANKS = Option(
    "--ranks",
    "processes that share the lattice (default 1, or as --grid says)",
    whole(1),
    value="N",
)
GRID = Option(
    "--grid",
    "ranks in x, y, z, t, as 1 1 2 2 or 1x1x2x2 (default: smallest faces)",
    extents,
    value="NX NY NZ NT",
    is_extents=True,
)
TRANSPORT = Option(
    "--transport",
    "the wire between ranks",
    default="auto",
    choices=("auto", "self", "shm", "mixed", "mpi_p2p", "mpi_rma"),
)
JSON = Option(
    "--json",
    "write the record; - is standard output, which then holds nothing else",
    file_name,
    value="FILE",
)
TRACE = Option(
    "--trace",
    "what every rank did when, as a timeline for ui.perfetto.dev or chrome://tracing",
    output_name,
    value="FILE",
)
LATTICE = Option(
    "--lattice",
    "extents x, y, z, t, as 8 8 8 16 or 8x8x8x16",
    extents,
    value="X Y Z T",
    is_extents=True,
)
START = Option(
    "--start", "links to start from: random (hot) or unit (cold)", choices=("hot", "cold")
)
VERBOSE = Option("--verbose", "plain progress lines also where there is no terminal", is_flag=True)
PRECISION = Option(
    "--prec",
    "numbers of the solve; half (16-bit fixed point) is corrected in single, mixed is single "
    "corrected in double",
    default="double",
    choices=("double", "single", "half", "mixed"),
)
RECON = Option(
    "--recon",
    "reals a link is kept in; those of the coarse links where a solve is corrected",
    default="18",
    choices=("18", "12", "8"),
)
THREADS = Option("--threads", "that share a rank's work", whole(1, 1024), 1, "N")
