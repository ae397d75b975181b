"""The options of `onehop bench`."""

from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command
from onehop.cli._shared.lists import counts, names
from onehop.cli._shared.option import argument, flag, option
from onehop.cli._shared.values import POSITIVE, File, Parsed, Whole
from onehop.cli.bench import patterns
from onehop.cli.bench.sizes import sizes

COMMAND = Command(
    "bench",
    [
        argument(
            "PATTERN",
            f"What to measure: {', '.join(patterns.ALL)}.",
            patterns.ALL,
            required=False,
            metavar="PATTERN",
        ),
        shared.RANKS(
            help=("Number of processes (default: 2, or 1 on self and for dslash and solve).")
        ),
        shared.WIRE(),
        shared.MEMORY(
            type=("host", "device", "device-host", "host-device"),
            help="Where sources and windows are: host or device for both, or source-window; on "
            "this machine in the ranks' GPUs; on a virtual one this also says whose "
            "processor's time counts (default: host).",
        ),
        shared.PLATFORM_SET(),
        shared.HOSTS(),
        flag(
            "--one-buffer",
            "On virtual machines: all messages arrive in the same memory, as page tables see it, "
            "as in programs with a single buffer.",
            of=patterns.PAIRED,
        ),
        flag(
            "--loop-back",
            "On virtual machines: all ranks are on host 1, whose adapter reads each message from "
            "memory and, with no link in between, writes it back.",
            of=patterns.PAIRED,
        ),
        option(
            "--sizes",
            "Message sizes in bytes, as 8,64,24KiB, doubling as 8:1MiB (default), or auto, "
            "which adds sizes where the curve bends.",
            Parsed(sizes),
            "LIST",
            of=patterns.WITH_BYTES,
        ),
        option(
            "--faces",
            "Faces of a halo step (default: 2,4,8).",
            Parsed(counts),
            "LIST",
            of=("halo",),
        ),
        shared.LATTICE(
            of=("halo", *patterns.OF_OPERATORS),
            help="Local lattice whose faces are sent, instead of --sizes; for dslash and solve, "
            "the whole lattice (default: 8 8 8 8).",
        ),
        option(
            "--site-bytes",
            "Bytes of a face per site of --lattice.",
            Whole(1),
            default=192,
            of=("halo",),
            needs="--lattice",
        ),
        option(
            "--channels",
            "Put chains in flight at the same time.",
            Whole(1),
            default=1,
            of=(*patterns.PAIRED, "halo"),
        ),
        option(
            "--messages",
            "Messages of one start: for bandwidth (1 waits for each; default: 16 MiB of them, at "
            "most 64) and pingping (default: 1); for commit, puts of the chain (default: 26).",
            Whole(1),
            of=patterns.OF_MESSAGES,
        ),
        option(
            "--rows",
            "Rows of each message at its source, as in a strided face; the number must divide "
            "the size. For faces: rows of those in the second half, which kernels pack.",
            Whole(1),
            default=1,
            of=patterns.WITH_ROWS,
        ),
        option(
            "--schedule",
            "For alltoall: least bytes, fewest messages, or staged through the host, where "
            "virtual machines copy blocks from and to device memory while others travel.",
            ("pairwise", "dissemination", "staged"),
            default="pairwise",
            of=("alltoall",),
        ),
        option(
            "--order",
            "For allreduce: order of the sum, that of the ranks or what suits the transport best.",
            ("fixed", "fast"),
            default="fixed",
            of=("allreduce",),
        ),
        option(
            "--pack",
            "Write bytes where the chain sends from (default of halo; pingping then checks "
            "inside) or to a buffer that it copies.",
            ("direct", "buffer"),
            of=("halo", "pingping"),
        ),
        flag(
            "--early",
            "Send each face once it is written, and compare, in the same run, with sending all "
            "together. A virtual machine charges the writing.",
            of=("halo",),
        ),
        option(
            "--against",
            "Compare, in the same run, with loops written by hand, or with MPI, UCX and ZeroMQ.",
            ("none", "hand", "mpi"),
            default="none",
            of=patterns.AGAINST_MPI,
        ),
        option(
            "--peers",
            "Folder of the libraries to compare with (default: those found here).",
            None,
            "DIR",
            of=patterns.AGAINST_MPI,
        ),
        option(
            "--methods",
            "Compare with these methods of the libraries only, such as isend,ipc (default: with "
            "all that they have for the pattern; the how-to on measuring a wire lists them).",
            Parsed(names),
            "LIST",
            of=patterns.AGAINST_MPI,
        ),
        option(
            "--install-peers",
            "Fetch Open MPI, MPICH, Intel MPI and UCX with pip into DIR, and exit.",
            None,
            "[DIR]",
            flag_value="",
            is_flag=False,
        ),
        option(
            "--check",
            "Compare bytes before and after the timed blocks, or in every timed step too.",
            ("outside", "inside"),
            default="outside",
        ),
        option("--rotate", "Rotate through buffers of this many MiB.", Whole(0), "MIB", default=0),
        option(
            "--pin",
            "Keep each rank on a core (default: cores; none on a virtual machine).",
            ("none", "cores"),
        ),
        option(
            "--iterations",
            "Steps of a block (default: as many as fit --block-time).",
            Whole(1),
        ),
        option(
            "--block-time",
            "Microseconds of a timed block (default: 200; 1000 with --against mpi).",
            POSITIVE,
            "US",
        ),
        option("--warmup", "Steps before the first block.", Whole(0), default=100),
        option(
            "--spread",
            "Stop once the median is known to this many percent.",
            POSITIVE,
            "P",
            default=2.0,
        ),
        option("--min-time", "Seconds to measure at least.", POSITIVE, "S", default=0.1),
        option(
            "--max-time",
            "Seconds to measure at most (default: 1; 3 with --against mpi).",
            POSITIVE,
            "S",
        ),
        shared.DSLASH(
            of=patterns.OF_OPERATORS,
            default=None,
            help="For dslash and solve: the operator (default: wilson).",
        ),
        shared.CSW(
            of=patterns.OF_OPERATORS,
            help=(
                "For dslash and solve: coefficient of the clover term (default: 1, its tree level)."
            ),
        ),
        shared.MU(
            of=patterns.OF_OPERATORS,
            help="For dslash and solve: twisted mass, + i mu gamma_5 (default: 0).",
        ),
        shared.PRECISION(
            of=patterns.OF_OPERATORS,
            type=("double", "single", "half"),
            default=None,
            help="For dslash and solve: precision (default: single).",
        ),
        shared.RECON(
            of=patterns.OF_OPERATORS,
            default=None,
            help="For dslash and solve: reals that store a link (default: 18).",
        ),
        shared.SOLVER(of=("solve",), default=None, help="For solve: the algorithm (default: cg)."),
        option(
            "--rhs",
            "For dslash and solve: right-hand sides at once (default: 1).",
            Whole(1),
            of=patterns.OF_OPERATORS,
        ),
        shared.DEVICE(
            of=patterns.OF_OPERATORS,
            default=None,
            help="For dslash and solve: cores of the host, or a CUDA device for each rank "
            "(default: host).",
        ),
        shared.SHARE_DEVICE(
            of=(*patterns.ON_DEVICES, *patterns.OF_OPERATORS),
        ),
        shared.THREADS(
            of=patterns.OF_OPERATORS,
            default=None,
            help="For dslash and solve: threads that share a rank's work (default: 1).",
        ),
        flag(
            "--sweep",
            "Run dslash or solve on 8^4 to 24^4, in all precisions, with 1, 2, 4 .. threads.",
            of=patterns.OF_OPERATORS,
        ),
        shared.JSON(),
        shared.TRACE(
            of=patterns.OF_CELLS,
            help="Write a timeline of all ranks in 16 more steps of each line, for "
            "ui.perfetto.dev.",
        ),
        option(
            "--csv",
            "Write the table as comma-separated values; - is standard output.",
            File(is_output=True, may_be_stdout=True),
            of=patterns.OF_CELLS,
        ),
        shared.VERBOSE(),
    ],
    usage="PATTERN [options]  |  onehop bench --install-peers [DIR]",
    notes="Exit status 1 if a byte or a number was wrong. See docs/how_to/measure_a_wire.md.",
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
