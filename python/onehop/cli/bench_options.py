"""The options of `onehop bench`."""

from __future__ import annotations

from dataclasses import replace

from onehop.cli import bench_memory, bench_operator
from onehop.cli.bench_cells import PATTERNS, faces, names, sizes
from onehop.cli.device_options import DEVICE, SHARE_DEVICE
from onehop.cli.machine_options import PLATFORM_SET, WIRE
from onehop.cli.operator_options import CSW, DSLASH, MU
from onehop.cli.options import Command, Option
from onehop.cli.shared_options import (
    JSON,
    LATTICE,
    PRECISION,
    RANKS,
    RECON,
    THREADS,
    TRACE,
    VERBOSE,
)
from onehop.cli.solver_options import SOLVER
from onehop.cli.values import file_name, positive, whole

BENCH = Command(
    "bench",
    "Measures what the wire between ranks does, or operators beside their roofline; checks all.",
    "bench PATTERN [options]  |  onehop bench --install-peers [DIR]",
    (
        Option(
            "PATTERN",
            "what to measure",
            choices=(*PATTERNS, *bench_operator.PATTERNS),
        ),
        replace(RANKS, help="processes (default 2, or 1 on self and for dslash and solve)"),
        WIRE,
        bench_memory.OPTION,
        PLATFORM_SET,
        Option(
            "--sizes",
            "message sizes, as 8,64,512, doubling as 8:1048576 (default that), or auto, which adds "
            "sizes where the curve bends",
            sizes,
            value="LIST",
            unit="bytes",
        ),
        Option("--faces", "faces of a halo step (default 2,4,8)", faces, value="LIST"),
        replace(
            LATTICE,
            help="local lattice whose faces are sent, instead of --sizes; for dslash and solve the "
            "whole lattice (default 8 8 8 8)",
        ),
        Option("--site-bytes", "bytes of a face per site of --lattice", whole(1), 192, "N"),
        Option("--channels", "put chains in flight at the same time", whole(1), 1, "N"),
        Option(
            "--messages",
            "of one start: of bandwidth, 1 to wait for each (default 16 MiB of them, at most 64); "
            "of pingping (default 1)",
            whole(1),
            value="N",
        ),
        Option(
            "--schedule",
            "of alltoall: least bytes, fewest messages, or staged through the host, where virtual "
            "machines copy blocks out of and into device memory while others travel",
            default="pairwise",
            choices=("pairwise", "dissemination", "staged"),
        ),
        Option(
            "--order",
            "of allreduce: that of the ranks, or as the transport likes best",
            default="fixed",
            choices=("fixed", "fast"),
        ),
        Option(
            "--pack",
            "write bytes where the chain wants them (default of halo; pingping then checks inside) "
            "or to a buffer that it copies",
            choices=("direct", "buffer"),
        ),
        Option(
            "--against",
            "compare, in the same run, with loops written by hand, or with MPI and UCX",
            default="none",
            choices=("none", "hand", "mpi"),
        ),
        Option(
            "--peers",
            "folder of the MPIs to compare with (default: those at hand)",
            file_name,
            value="DIR",
        ),
        Option("--methods", "of the peers, without their others", names, value="LIST"),
        Option(
            "--install-peers",
            "fetch Open MPI, MPICH, Intel MPI and UCX with pip into DIR, and end",
            value="DIR",
            alone="",
        ),
        Option(
            "--check",
            "compare bytes around the timed blocks, or in every timed step too",
            default="outside",
            choices=("outside", "inside"),
        ),
        Option("--rotate", "use so many MiB of buffers in turns", whole(0), 0, "MIB"),
        Option("--pin", "keep each rank on a core", default="cores", choices=("none", "cores")),
        Option(
            "--iterations",
            "steps of a block (default: as many as --block-time takes)",
            whole(1),
            value="N",
        ),
        Option(
            "--block-time",
            "length of a timed block (default 200, against mpi 1000)",
            positive,
            value="US",
            unit="us",
        ),
        Option("--warmup", "steps before the first block", whole(0), 100, "N"),
        Option("--spread", "stop when the median is known to so many percent", positive, 2.0, "P"),
        Option("--min-time", "but not before", positive, 0.1, "S", unit="s"),
        Option(
            "--max-time",
            "and in any case after (default 1, against mpi 3)",
            positive,
            value="S",
            unit="s",
        ),
        replace(DSLASH, help="for dslash and solve: the operator (default wilson)", default=None),
        replace(CSW, help="of dslash and solve: " + CSW.help),
        replace(MU, help="of dslash and solve: " + MU.help),
        replace(
            PRECISION,
            help="of dslash and solve (default single)",
            default=None,
            choices=("double", "single", "half"),
        ),
        replace(
            RECON, help="reals a link is kept in, for dslash and solve (default 18)", default=None
        ),
        replace(SOLVER, help="of solve (default cg)", default=None),
        Option("--rhs", "right-hand sides at once (default 1)", whole(1), value="N"),
        replace(DEVICE, help="of dslash and solve (default host)", default=None),
        SHARE_DEVICE,
        replace(
            THREADS, help="that share a rank's work, for dslash and solve (default 1)", default=None
        ),
        Option(
            "--sweep",
            "dslash and solve on 8^4 to 24^4, in all precisions, with 1, 2, 4 .. threads",
            is_flag=True,
        ),
        JSON,
        replace(
            TRACE,
            help="what every rank does in 16 further steps of each line, as a timeline for "
            "ui.perfetto.dev",
        ),
        Option("--csv", "the table as comma separated values; - is standard output", value="FILE"),
        VERBOSE,
    ),
    notes="Exit status 1 when a byte or a number was wrong. See docs/how_to/measure_a_wire.md.",
    examples=(
        "onehop bench latency --sizes 8:65536",
        "onehop bench halo --faces 2,4,8 --sizes 96,1536,24576 --against hand --json halo.json",
        "onehop bench halo --lattice 8 8 8 16 --site-bytes 96",
        "onehop bench --install-peers && onehop bench allreduce --sizes 8 --against mpi",
        "onehop bench put --transport virtual:nanet --memory host-device --sizes 1024",
        "onehop bench alltoall --transport virtual:apenet-v4 --memory device --schedule staged",
        "onehop bench dslash --lattice 24 24 24 24 --prec single --recon 12 --threads 2",
    ),
)
