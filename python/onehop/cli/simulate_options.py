"""The options of `onehop simulate`."""

from __future__ import annotations

from dataclasses import replace

from onehop.cli.machine_options import settings
from onehop.cli.options import Command, Option
from onehop.cli.shared_options import JSON, LATTICE, MOST_SEED, VERBOSE
from onehop.cli.values import grid, output_name, real, whole

SIMULATE = Command(
    "simulate",
    "A workload on a machine in virtual time, packet by packet.",
    "simulate PLATFORM halo|cg [options], or simulate PLATFORM --explain",
    (
        Option("PLATFORM", "a shipped machine (as apenet-v4) or a platform file", is_required=True),
        Option(
            "WORKLOAD",
            "halo: every node sends to its neighbours and waits for theirs; cg: iterations of "
            "conjugate gradient on the Wilson operator, without data",
            choices=("halo", "cg"),
        ),
        Option(
            "--nodes",
            "nodes along each axis, as 32 32 32 or 4x4 (default: as installed)",
            grid,
            value="N ...",
            is_extents=True,
            least_axes=1,
        ),
        Option("--message-bytes", "bytes to each neighbour", whole(0, 2**40), 24576, "N"),
        replace(LATTICE, help="of cg: extents of the whole lattice"),
        Option("--steps", "exchanges or iterations one after the other", whole(1), 1, "N"),
        Option("--compute", "of a node before it sends, in each step", real, 0.0, "US", unit="us"),
        Option(
            "--diagonal",
            "on three axes, neighbours of the fourth are so many nodes away along each; 0: none",
            whole(0),
            3,
            "N",
        ),
        Option("--memory", "where the faces are", default="host", choices=("host", "device")),
        Option(
            "--platform-set",
            "choose an option of the platform or change a number, as nic.rx.translation=nios;"
            " several apart by commas, or repeated",
            settings,
            value="KEY=VALUE",
            joins=",",
        ),
        Option("--bit-error-rate", "of every link", real, value="RATE"),
        Option("--dead-link", "cut the cable at a port of a node", value="NODE:PORT"),
        Option(
            "--slow-node",
            "a node whose stages, and in cg its kernels, take so many times as long",
            value="NODE:TIMES",
        ),
        Option("--seed", "of the bit errors", whole(0, MOST_SEED), 1, "S"),
        Option(
            "--scheduler",
            "of events; the result is the same",
            default="ladder",
            choices=("ladder", "heap"),
        ),
        Option("--explain", "the machine as a table of the steps of a put", is_flag=True),
        Option(
            "--plot", "with --explain, the machine as a picture (svg)", output_name, value="FILE"
        ),
        Option(
            "--map",
            "the torus or the rings, every link coloured by the share of the time that it was"
            " busy (svg)",
            output_name,
            value="FILE",
        ),
        JSON,
        Option(
            "--trace",
            "what every stage and link did when, in virtual time, for ui.perfetto.dev",
            output_name,
            value="FILE",
        ),
        VERBOSE,
    ),
    notes=(
        "Ports of a torus: 2*axis forward, 2*axis+1 backward. cpu_s and peak_rss_mib are of this\n"
        "computer, step_us is virtual. Exit status 2 when a byte, packet or credit was lost."
    ),
    examples=(
        "onehop simulate apenet-v4 halo --nodes 32 32 32 --message-bytes 24576",
        "onehop simulate tca-peach2 halo --nodes 8 2 --memory device --trace ring.json",
        "onehop simulate apenet-v4 halo --nodes 4 4 2 --dead-link 0:1 --bit-error-rate 1e-9",
        "onehop simulate apenet-v4 cg --nodes 32 32 32 --lattice 64 64 64 128 --memory device",
        "onehop simulate qpace --explain",
    ),
)
