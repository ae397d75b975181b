"""Several commands have these options. Each is made by a call, which may override its settings."""

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
    help="The wire between ranks; virtual: a machine of platforms/ or of your own file, in "
    "virtual time.",
    type=Parsed(wire),
    value="|".join((*REAL_TRANSPORTS, "virtual:PLATFORM")),
    default="auto",
)
MEMORY = partial(
    option,
    "--memory",
    help="Where windows and sources are on a virtual machine, and whose processor's time counts "
    "(default: host).",
    type=("host", "device"),
)
PLATFORM = partial(argument, "PLATFORM", "A shipped machine (as apenet-v4) or a platform file.")
PLATFORM_SET = partial(
    option,
    "--platform-set",
    help=(
        "Change options or numbers of the platform; separate several by commas, or repeat the "
        "option."
    ),
    type=Parsed(settings),
    value="KEY=VALUE",
    multiple=True,
    callback=lambda _ctx, _param, given: {k: v for one in given for k, v in one.items()} or None,
)
HOSTS = partial(
    option,
    "--hosts --placement",
    help="Virtual machine's host of each rank, counted from 1, as 1,3,5,7 or 1,1,2,2; a host "
    "takes as many ranks as it has cores, or GPUs with memory on devices. Or linear: in "
    "turn; linear:RANKS: RANKS on each; random:SEED; file:NAME: one host per rank (default: "
    "as in the platform).",
    type=Parsed(placement.parse),
    value="LIST|linear[:RANKS]|random:SEED|file:NAME",
)
JSON = partial(
    option,
    "--json",
    help="Write the record; - is standard output, which then has nothing else.",
    type=File(is_output=True, may_be_stdout=True),
)
TRACE = partial(
    option,
    "--trace",
    help="Write a timeline of every rank, for ui.perfetto.dev or chrome://tracing.",
    type=OUTPUT,
)
HDF5 = partial(
    option,
    "--hdf5",
    help="Write the record as HDF5: lists as datasets, single values as attributes.",
    type=OUTPUT,
)
PLOT = partial(option, "--plot", help="Draw the result, as png, pdf or svg.", type=PICTURE)
OUT = partial(option, "-o --output", type=OUTPUT)
FORCE = partial(flag, "--force", help="Replace an existing file.")
FORMAT = partial(
    option,
    "--format",
    help="Format of the configuration to write (default: from the suffix of its name, else nersc).",
    # These formats keep every bit, so that a run can be continued.
    type=tuple(f.name.lower() for f in _core.gauge_formats() if 64 in f.precisions),
)
ALLOW_NON_UNITARY = partial(
    flag,
    "--allow-non-unitary",
    help="Accept links that differ from SU(3) by more than 1e-3, such as smeared ones.",
)
START = partial(
    option,
    "--start",
    help="Links to start from: random (hot) or unit (cold).",
    type=("hot", "cold"),
)
VERBOSE = partial(flag, "--verbose", help="Print plain progress lines even without a terminal.")
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
