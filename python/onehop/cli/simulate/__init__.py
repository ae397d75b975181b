"""The options of `onehop simulate`."""

from __future__ import annotations

from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command
from onehop.cli._shared.option import argument, option
from onehop.cli._shared.values import MOST_SEED, OUTPUT, Extents, Real, Whole

COMMAND = Command(
    "simulate",
    [
        shared.PLATFORM(),
        argument(
            "WORKLOAD",
            "halo: every node sends to its neighbours and waits for theirs; cg: iterations of "
            "conjugate gradient on the Wilson operator, without data.",
            ("halo", "cg"),
            required=False,
        ),
        option(
            "--nodes",
            "Nodes along each axis, as 32 32 32 or 4x4 (default: as installed).",
            Extents(1),
            "N ...",
        ),
        option(
            "--message-bytes",
            "Bytes to each neighbour.",
            Whole(0, 2**40),
            "N",
            default=24576,
            of=("halo",),
        ),
        shared.LATTICE(of=("cg",), help="Of cg: extents of the whole lattice."),
        option("--steps", "Exchanges or iterations one after the other.", Whole(1), "N", default=1),
        option(
            "--compute",
            "Microseconds that a node computes before it sends, in each step.",
            Real(0),
            "US",
            default=0.0,
            of=("halo",),
        ),
        option(
            "--diagonal",
            "On three axes, neighbours of the fourth are so many nodes away along each; 0: none.",
            Whole(0),
            "N",
            default=3,
            of=("halo",),
        ),
        option("--memory", "Where the faces are.", ("host", "device"), default="host"),
        shared.PLATFORM_SET(
            help="Choose an option of the platform or change a number, as "
            "nic.rx.translation=nios; several apart by commas, or repeated."
        ),
        option("--bit-error-rate", "Of every link.", Real(0), "RATE"),
        option("--dead-link", "Cut the cable at a port of a node.", None, "NODE:PORT"),
        option(
            "--slow-node",
            "A node whose stages, and in cg its kernels, take so many times as long.",
            None,
            "NODE:TIMES",
        ),
        option("--seed", "Of the bit errors.", Whole(0, MOST_SEED), "S", default=1),
        option(
            "--scheduler",
            "Of events; the result is the same.",
            ("ladder", "heap"),
            default="ladder",
            of=("halo",),
        ),
        option(
            "--map",
            "The torus or the rings, every link coloured by the share of the time that it was "
            "busy (svg).",
            OUTPUT,
            "FILE",
        ),
        shared.JSON(),
        shared.TRACE(
            help="What every stage and link did when, in virtual time, for ui.perfetto.dev."
        ),
        shared.VERBOSE(),
    ],
    usage="PLATFORM halo|cg [options]",
    notes="Ports of a torus: 2*axis forward, 2*axis+1 backward. cpu_s and peak_rss_mib are of this "
    "computer, step_us is virtual. Exit status 2 when a byte, packet or credit was lost.",
    examples=(
        "onehop simulate apenet-v4 halo --nodes 32 32 32 --message-bytes 24576",
        "onehop simulate tca-peach2 halo --nodes 8 2 --memory device --trace ring.json",
        "onehop simulate apenet-v4 halo --nodes 4 4 2 --dead-link 0:1 --bit-error-rate 1e-9",
        "onehop simulate apenet-v4 cg --nodes 32 32 32 --lattice 64 64 64 128 --memory device",
    ),
)
