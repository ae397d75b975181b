"""Options that several commands have. Each is made by a call, which may say something else."""

from __future__ import annotations

from functools import partial

from onehop.cli._shared.option import flag, option
from onehop.cli._shared.values import NUMBER, OUTPUT, Extents, File, Parsed, Whole
from onehop.cli.machine_options import REAL_TRANSPORTS, settings, wire

RANKS = partial(
    option,
    "--ranks",
    help="Processes that share the lattice (default: 1, or as --grid says).",
    type=Whole(1),
    value="N",
)
GRID = partial(
    option,
    "--grid",
    help="Ranks in x, y, z, t, as 1 1 2 2 or 1x1x2x2 (default: smallest faces).",
    type=Extents(),
    value="NX NY NZ NT",
)
LATTICE = partial(
    option,
    "--lattice",
    help="Extents x, y, z, t, as 8 8 8 16 or 8x8x8x16.",
    type=Extents(),
    value="X Y Z T",
)
TRANSPORT = partial(
    option, "--transport", help="The wire between ranks.", type=REAL_TRANSPORTS, default="auto"
)
WIRE = partial(
    option,
    "--transport",
    help="The wire between ranks; virtual: a machine of platforms/ or a file of your own, in its "
    "time.",
    type=Parsed(wire),
    value="|".join((*REAL_TRANSPORTS, "virtual:PLATFORM")),
    default="auto",
)
MEMORY = partial(
    option,
    "--memory",
    help="Where a virtual machine has windows and sources, and which processor's time counts "
    "(default: host).",
    type=("host", "device"),
)
PLATFORM_SET = partial(
    option,
    "--platform-set",
    help="Options or numbers of the platform to change; several apart by commas, or repeated.",
    type=Parsed(settings),
    value="KEY=VALUE",
    multiple=True,
    callback=lambda _ctx, _param, given: {k: v for one in given for k, v in one.items()} or None,
)
JSON = partial(
    option,
    "--json",
    help="Write the record; - is standard output, which then holds nothing else.",
    type=File(is_output=True, may_be_stdout=True),
    value="FILE",
)
TRACE = partial(
    option,
    "--trace",
    help="What every rank did when, as a timeline for ui.perfetto.dev or chrome://tracing.",
    type=OUTPUT,
    value="FILE",
)
HDF5 = partial(
    option,
    "--hdf5",
    help="The record as HDF5 too: lists are datasets, single values attributes.",
    type=OUTPUT,
    value="FILE",
)
PLOT = partial(option, "--plot", help="Draw it, as png, pdf or svg.", type=OUTPUT, value="FILE")
OUT = partial(option, "-o --output", type=OUTPUT, value="FILE")
FORMAT = partial(
    option,
    "--format",
    help="Of the configuration that is written.",
    type=("nersc", "ildg"),
    default="nersc",
)
START = partial(
    option,
    "--start",
    help="Links to start from: random (hot) or unit (cold).",
    type=("hot", "cold"),
)
VERBOSE = partial(flag, "--verbose", help="Plain progress lines also where there is no terminal.")
THREADS = partial(
    option,
    "--threads",
    help="Threads that share a rank's work.",
    type=Whole(1, 1024),
    value="N",
    default=1,
)
OPERATORS = ("wilson", "clover", "staggered", "asqtad", "hisq")
DSLASH = partial(
    option,
    "--dslash",
    help="The operator; asqtad and hisq hop along fat and three-hop (Naik) links made of those "
    "given.",
    type=OPERATORS,
    default="wilson",
)
CSW = partial(
    option,
    "--csw",
    help="Coefficient of the clover term (default: 1, its tree level).",
    type=NUMBER,
    value="C",
)
MU = partial(
    option,
    "--mu",
    help="Twisted mass: + i mu gamma_5, the flavour tau_3 = +1; for wilson and clover (default: "
    "0).",
    type=NUMBER,
    value="MU",
)
PRECISION = partial(
    option,
    "--prec",
    help="Numbers of the solve; half (16-bit fixed point) is corrected in single, mixed is single "
    "corrected in double.",
    type=("double", "single", "half", "mixed"),
    default="double",
)
RECON = partial(
    option,
    "--recon",
    help="Reals a link is kept in; those of the coarse links where a solve is corrected.",
    type=("18", "12", "8"),
    default="18",
)
SOLVER = partial(
    option,
    "--solver",
    help="The algorithm; bicgstab is for wilson and clover, pipelined-cg needs one reduction an "
    "iteration, which travels while the operator works, block-cg lets the sources of --rhs search "
    "together and so needs fewer, for staggered quarks always in the solution's numbers.",
    type=("cg", "bicgstab", "pipelined-cg", "block-cg"),
    default="cg",
)
DEVICE = partial(
    option,
    "--device",
    help="Where kernels run: cores of the host, or a CUDA device for each rank.",
    type=("host", "cuda"),
    default="host",
)
SHARE_DEVICE = partial(
    flag, "--share-device", help="Several ranks of a machine may compute on one device."
)
