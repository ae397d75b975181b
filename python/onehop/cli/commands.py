"""The option tables of all commands."""

from __future__ import annotations

from dataclasses import replace

from onehop.cli import bench_operator
from onehop.cli.bench_cells import PATTERNS, faces, names, sizes
from onehop.cli.device_options import DEVICE, SHARE_DEVICE
from onehop.cli.fit_options import COMPARE, FIT
from onehop.cli.machine_options import MEMORY, PLATFORM_SET, WIRE
from onehop.cli.measure_options import MEASURE
from onehop.cli.meson_options import HDF5, MESONS, MOMENTA
from onehop.cli.operator_options import DSLASH, QUARK
from onehop.cli.options import (
    Command,
    Option,
    file_name,
    output_name,
    positive,
    whole,
)
from onehop.cli.report_options import REPORT
from onehop.cli.reproduce_options import REPRODUCE
from onehop.cli.scale_options import SCALE
from onehop.cli.shared_options import (
    GRID,
    JSON,
    LATTICE,
    MOST_SEED,
    PRECISION,
    RANKS,
    RECON,
    START,
    THREADS,
    TRACE,
    TRANSPORT,
    VERBOSE,
)
from onehop.cli.simulate_options import SIMULATE
from onehop.cli.solve_options import SOLVER, SOLVING
from onehop.source import FORMS as SOURCES

INFO = Command(
    "info",
    "What this installation and this machine have, or what a configuration file holds.",
    "info [CONFIG] [--json FILE] [--cmake-dir] [--chains [options]]",
    (
        Option("CONFIG", "a gauge configuration: print its header, read and check it", file_name),
        JSON,
        Option("--cmake-dir", "print the folder to give to find_package(onehop)", is_flag=True),
        Option("--chains", "how the puts of a halo exchange travel, and why", is_flag=True),
        replace(LATTICE, help=LATTICE.help + ", for --chains (default 8 8 8 16)"),
        replace(RANKS, help="for --chains (default 2, or as --grid says)"),
        replace(GRID, help="for --chains: " + GRID.help),
        Option("--site-bytes", "of a face per site, for --chains", whole(1), 192, "N"),
        TRANSPORT,
    ),
    examples=("onehop info --chains --lattice 16 16 16 32 --grid 1 1 2 2",),
)

SELFTEST = Command(
    "selftest",
    "Checks of the installed package by property, on 1, 2 and 4 ranks; about a minute at most.",
    "selftest [--json FILE]",
    (
        Option("--ranks", "check this number of ranks only", whole(1), value="N"),
        JSON,
    ),
)

RUN = Command(
    "run",
    "Runs any program as N ranks on this machine, without MPI, ssh or host file, or under mpirun.",
    "run -n N [--launcher onehop|mpi] [--] PROGRAM [ARGUMENT ...]",
    (
        Option("--ranks", "number of ranks", whole(1), value="N", short="-n", is_required=True),
        Option(
            "--launcher",
            "who starts the ranks: onehop itself, or mpirun of the MPI that onehop was built with",
            default="onehop",
            choices=("onehop", "mpi"),
        ),
    ),
    notes=(
        "The ranks find each other with onehop::join() or onehop.join(). When one fails, all are\n"
        "ended and its exit status is returned, 2 when it was killed by a signal."
    ),
    takes_program=True,
    examples=("onehop run -n 4 -- ./stencil 1000", "onehop run -n 2 -- python halo.py"),
)

GENERATE = Command(
    "generate",
    "Makes a gauge configuration by SU(3) heatbath with overrelaxation.",
    "generate --lattice X Y Z T --beta B [options] -o FILE",
    (
        replace(LATTICE, is_required=True),
        Option(
            "--beta",
            "coupling of the Wilson gauge action",
            positive,
            value="B",
            is_required=True,
        ),
        Option("--seed", "of the random numbers", whole(0, MOST_SEED), 1, "S"),
        Option("--sweeps", "heatbath sweeps in all", whole(0), 100, "N"),
        Option("--overrelaxation", "overrelaxation sweeps after each of them", whole(0), 4, "N"),
        replace(START, default="hot"),
        Option("--checkpoint", "also write the files after every N sweeps", whole(1), value="N"),
        Option("--continue", "go on from the files of an earlier, shorter run", is_flag=True),
        RANKS,
        GRID,
        TRANSPORT,
        Option(
            "--output",
            "the configuration",
            output_name,
            value="FILE",
            short="-o",
            is_required=True,
        ),
        Option("--format", "of the configuration", default="nersc", choices=("nersc", "ildg")),
        JSON,
        VERBOSE,
    ),
    notes=(
        "The same seed gives the same links on any number of ranks. FILE.json beside the\n"
        "configuration says how it was made; --continue reads it."
    ),
    examples=("onehop generate --lattice 8 8 8 16 --beta 6.0 --ranks 2 -o b6.0.nersc",),
)

SOLVE = Command(
    "solve",
    "Propagator and pseudoscalar correlator on a gauge configuration.",
    "solve CONFIG|--lattice X Y Z T --start hot|cold  --kappa K|--mass M  [options]",
    (
        Option("CONFIG", "a gauge configuration: ILDG, NERSC, MILC v5 or openQCD", file_name),
        replace(LATTICE, help=LATTICE.help + ", instead of CONFIG"),
        replace(START, help="links for --lattice: random (hot) or unit (cold)"),
        Option("--seed", "of the hot start", whole(0, MOST_SEED), value="S"),
        *QUARK,
        *SOLVING,
        Option(
            "--source",
            "a point or wall (all spins and colours are solved), a wall of noise (all spins), or "
            "noise everywhere (one solve)",
            default="point:0,0,0,0",
            value=SOURCES,
        ),
        Option(
            "--boundary",
            "of the quarks in time",
            default="antiperiodic",
            choices=("periodic", "antiperiodic"),
        ),
        RANKS,
        THREADS,
        DEVICE,
        SHARE_DEVICE,
        GRID,
        WIRE,
        MEMORY,
        PLATFORM_SET,
        Option(
            "--overlap",
            "compute while faces travel: not at all, the interior, or face by face",
            default="fused",
            choices=("none", "fused", "faces"),
        ),
        MESONS,
        MOMENTA,
        JSON,
        HDF5,
        Option(
            "--plot",
            "draw correlator and effective mass (png, pdf, svg)",
            output_name,
            value="FILE",
        ),
        TRACE,
        Option(
            "--out",
            "the propagator as .npy, (source, t, z, y, x, spin, colour)",
            output_name,
            value="FILE",
        ),
        VERBOSE,
    ),
    examples=(
        "onehop solve b6.0.nersc --kappa 0.13 --ranks 4 --plot pion.png",
        "onehop solve --lattice 8 8 8 8 --start cold --dslash staggered --mass 0.1",
        "onehop solve b6.0.nersc --dslash clover --csw 1.77 --kappa 0.134 --mu 0.01",
        "onehop solve b6.0.nersc --dslash asqtad --u0 0.878 --mass 0.05 --prec mixed",
        "onehop solve b6.0.nersc --kappa 0.13 --mesons --momenta 1 --hdf5 mesons.h5",
    ),
)

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
        MEMORY,
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
            "of alltoall: least bytes, or fewest messages",
            default="pairwise",
            choices=("pairwise", "dissemination"),
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
        "onehop bench dslash --lattice 24 24 24 24 --prec single --recon 12 --threads 2",
    ),
)

TUNE = Command(
    "tune",
    "Measures how lines travel best between the cores of this machine, and keeps it.",
    "tune [--json FILE]",
    (
        replace(RANKS, help="processes, each on a core of its own", default=2),
        replace(TRANSPORT, choices=("auto", "shm")),
        Option("--max-time", "of each size and way of packing", positive, 0.25, "S", unit="s"),
        JSON,
    ),
    notes=(
        "Writes ONEHOP_TUNING or tuning.json in the cache folder of the user, which everything\n"
        "that starts ranks reads. Remove the file to go back to the built-in table; onehop\n"
        "info --chains says what holds. Exit status 1 when a byte was wrong: nothing is kept then."
    ),
    examples=("onehop tune", "ONEHOP_TUNING=far.json onehop tune"),
)

_MEASURING = (BENCH, TUNE, FIT, COMPARE, REPORT)
_PREDICTING = (SIMULATE, REPRODUCE, SCALE)
COMMANDS = {
    c.name: c for c in (INFO, SELFTEST, RUN, GENERATE, MEASURE, SOLVE, *_MEASURING, *_PREDICTING)
}


def overview() -> str:
    """The text of `onehop --help`."""
    lines = ["usage: onehop COMMAND ...", ""]
    lines += ["One-sided, one-hop communication for lattice codes.", ""]
    lines += [f"  {c.name:10}{c.summary}" for c in COMMANDS.values()]
    lines += ["", "onehop COMMAND --help lists the options of a command."]
    lines += ["Exit status: 0 done, 1 the check failed (not converged, wrong), 2 an error."]
    return "\n".join(lines) + "\n"
