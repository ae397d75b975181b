"""Several commands have these options. Each is made by a call, which may say something else."""

from functools import partial

from onehop import _core
from onehop.cli._shared.option import argument, flag, option
from onehop.cli._shared.platform import REAL_TRANSPORTS, settings, wire
from onehop.cli._shared.solving import OPERATORS, parameter_option, solve_option
from onehop.cli._shared.values import OUTPUT, PICTURE, Extents, File, Parsed, Whole
from onehop.netsim import placement

RANKS = partial(
    option,
    "-n --ranks",
    help="Processes that share the lattice (default: 1, or as --grid says).",
    type=Whole(1),
)
GRID = partial(
    option,
    "--grid",
    help="Ranks in x, y, z, t, as 1 1 2 2 or 1x1x2x2 (default: smallest faces).",
    type=Extents(),
    value="NX NY NZ NT",
)
GRID_OF_THREE = partial(
    GRID,
    help="Ranks in x, y, z, as 1 1 2 or 1x1x2 (default: smallest faces).",
    type=Extents(3, 3),
    value="NX NY NZ",
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
PLATFORM = partial(argument, "PLATFORM", "A shipped machine (as apenet-v4) or a platform file.")
PLATFORM_SET = partial(
    option,
    "--platform-set",
    help="Options or numbers of the platform to change; several apart by commas, or repeated.",
    type=Parsed(settings),
    value="KEY=VALUE",
    multiple=True,
    callback=lambda _ctx, _param, given: {k: v for one in given for k, v in one.items()} or None,
)
HOSTS = partial(
    option,
    "--hosts --placement",
    help="Host of a virtual machine for each rank, counted from 1, as 1,3,5,7 or 1,1,2,2, as often "
    "as it has cores or, with memory in devices, GPUs; or linear, in turn; linear:RANKS, so many "
    "on each; random:SEED; file:NAME, one for each rank (default: as the platform has them).",
    type=Parsed(placement.parse),
    value="LIST|linear[:RANKS]|random:SEED|file:NAME",
)
JSON = partial(
    option,
    "--json",
    help="Write the record; - is standard output, which then holds nothing else.",
    type=File(is_output=True, may_be_stdout=True),
)
TRACE = partial(
    option,
    "--trace",
    help="What every rank did when, as a timeline for ui.perfetto.dev or chrome://tracing.",
    type=OUTPUT,
)
HDF5 = partial(
    option,
    "--hdf5",
    help="The record as HDF5 too: lists are datasets, single values attributes.",
    type=OUTPUT,
)
PLOT = partial(option, "--plot", help="Draw it, as png, pdf or svg.", type=PICTURE)
OUT = partial(option, "-o --output", type=OUTPUT)
FORCE = partial(flag, "--force", help="Replace a file that exists.")
FORMAT = partial(
    option,
    "--format",
    help="Of the configuration that is written (default: what the suffix of its name says, nersc "
    "where that says none).",
    # These formats keep every bit, so that a run can be continued.
    type=tuple(f.name.lower() for f in _core.gauge_formats() if 64 in f.precisions),
)
ALLOW_NON_UNITARY = partial(
    flag,
    "--allow-non-unitary",
    help="Read links too that differ from SU(3) by more than 1e-3, as smeared ones.",
)
START = partial(
    option,
    "--start",
    help="Links to start from: random (hot) or unit (cold).",
    type=("hot", "cold"),
)
VERBOSE = partial(flag, "--verbose", help="Plain progress lines also where there is no terminal.")
DSLASH = partial(
    option,
    "--dslash",
    help="The operator; asqtad and hisq hop along fat and three-hop (Naik) links made of those "
    "given.",
    type=OPERATORS,
    default="wilson",
)
CSW = partial(parameter_option, "csw")
MU = partial(parameter_option, "mu")
PRECISION = partial(solve_option, "prec")
RECON = partial(solve_option, "recon")
SOLVER = partial(solve_option, "solver")
THREADS = partial(solve_option, "threads")
DEVICE = partial(solve_option, "device")
SHARE_DEVICE = partial(solve_option, "share_device")
