"""The options of `onehop ensemble` are those of `onehop solve`, for several configurations."""

from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command
from onehop.cli._shared.option import argument, option
from onehop.cli._shared.values import INPUT, Whole
from onehop.cli.solve import COMMAND as SOLVE

# These options belong to one solve.
NOT_SHARED = (
    *("config", "lattice", "start", "seed", "shifts", "masses"),
    *("json", "hdf5", "plot", "trace", "out", "force"),
)

COMMAND = Command(
    "ensemble",
    [
        argument("CONFIG", "Gauge configurations of one lattice.", INPUT, nargs=-1, required=True),
        option(
            "--to",
            "Folder of the records CONFIG.json; a configuration that has one is not solved again.",
            None,
            "FOLDER",
            required=True,
        ),
        option(
            "--bin",
            "Neighbouring configurations to average into one bin, for the errors.",
            Whole(1),
            default=1,
        ),
        *(param for param in SOLVE.params if param.name not in NOT_SHARED),
        shared.JSON(),
        shared.HDF5(),
        shared.PLOT(help="Draw the means with their errors, also of baryons, as png, pdf or svg."),
    ],
    makes="to",
    usage="CONFIG... --to FOLDER  --kappa K|--mass M  [options of solve]",
    notes="Give configurations in the order of the chain. A shell sorts them so only if their "
    "numbers have leading zeros; otherwise use $(ls -v b6.0.*.nersc). Records are those of "
    "onehop solve; the table and --json have means with jackknife errors. A record of "
    "another configuration or of other options is refused; one that did not converge is "
    "made anew. Exit status 1 if a source has not converged.",
    examples=(
        "onehop ensemble b6.0.*.nersc --to b6.0 --kappa 0.13 --baryons --ranks 4 --bin 5",
        "onehop ensemble b6.0.*.nersc --to b6.0 --kappa 0.13 --baryons --plot means.png",
    ),
)
