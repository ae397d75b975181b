"""The options of `onehop simulate`."""

import click

from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command
from onehop.cli._shared.lists import loads, size
from onehop.cli._shared.option import argument, option
from onehop.cli._shared.values import (
    INPUT,
    MOST_SEED,
    PICTURE,
    Choice,
    Extents,
    Parsed,
    Real,
    Whole,
)
from onehop.nearest import nearest

# These are the members of TrafficPattern.
PATTERNS = ("uniform", "adversarial", "shift", "bit-complement", "permutation")

# These run by themselves on a machine of any size, with faults.
_OWN = ("halo", "cg", "allreduce", "traffic")
# These are programs, of which several can have nodes of one machine.
JOBS = ("halo", "cg", "allreduce")


class _Workload(Choice):
    """A word for a workload; an unknown word may be a benchmark."""

    def get_invalid_choice_message(self, value: object, ctx: click.Context | None) -> str:
        said = super().get_invalid_choice_message(value, ctx)
        return f"{said}; patterns of onehop bench run by its --transport virtual:PLATFORM"


def _load_of(text: str) -> tuple[str, float]:
    """Reads background traffic as 'uniform:0.3'; raises ValueError."""
    pattern, _, load = text.partition(":")
    if pattern not in PATTERNS:
        hint = nearest(pattern, PATTERNS) or f"; choose {', '.join(PATTERNS)}"
        raise ValueError(f"pattern {pattern!r} is not known{hint}")
    try:
        value = float(load)
    except ValueError:
        value = 0.0
    if not 0 < value <= 100:
        raise ValueError("a load above 0 and up to 100 is needed, as uniform:0.3")
    return pattern, value


COMMAND = Command(
    "simulate",
    [
        shared.PLATFORM(),
        argument(
            "WORKLOAD",
            "halo: every node sends to its neighbours and waits for theirs; cg: iterations of "
            "conjugate gradient on the Wilson operator, without data; allreduce: sums over all "
            "nodes; traffic: random messages over the first network alone, without the stages of "
            "nodes; replay: the calls of an MPI program that onehop run --record wrote.",
            _Workload(("halo", "cg", "allreduce", "traffic", "replay")),
            required=False,
        ),
        option(
            "--nodes",
            "Nodes along each axis, as 32 32 32 or 4x4 (default: as on the real machine).",
            Extents(1),
            "N ...",
            of=_OWN,
        ),
        option(
            "--message-bytes",
            "Bytes of each message, as 24576 or 24KiB (default: 24KiB; 8 for allreduce, a packet "
            "for traffic).",
            Parsed(size),
            "N",
            of=("halo", "allreduce", "traffic"),
        ),
        option(
            "--pattern",
            "Destinations of traffic: adversarial is the worst case for minimal routing on the "
            "topology, shift goes --distance nodes further.",
            PATTERNS,
            default="uniform",
            of=("traffic",),
        ),
        option(
            "--load",
            "Offered loads, of which each core here simulates one at a time; load 1 keeps the "
            "first link of every node busy.",
            Parsed(loads),
            "LIST",
            default="0.1,0.3,0.5,0.7,0.9",
            of=("traffic",),
        ),
        option(
            "--distance", "Distance of a shift, in nodes.", Whole(1), default=1, of=("traffic",)
        ),
        option(
            "--window",
            "Time in which messages are counted, in messages that a node sends at load 1.",
            Whole(1, 10**9),
            default=500,
            of=("traffic",),
        ),
        option(
            "--warm-up",
            "Time before --window, in the same unit.",
            Whole(0, 10**9),
            default=250,
            of=("traffic",),
        ),
        shared.LATTICE(of=("cg",), help="For cg: extents of the whole lattice."),
        option(
            "--steps",
            "Number of exchanges, iterations or sums in sequence.",
            Whole(1),
            default=1,
            of=JOBS,
        ),
        option(
            "--compute",
            "Microseconds for which a node computes before it sends, in each step.",
            Real(0, 10**9),
            "US",
            default=0.0,
            of=("halo",),
        ),
        option(
            "--diagonal",
            "On three axes: neighbours along a fourth are this many nodes away along each; 0: no "
            "fourth.",
            Whole(0),
            default=3,
            of=("halo",),
        ),
        option(
            "--memory",
            "Where the faces, or the numbers of a sum, are.",
            ("host", "device"),
            default="host",
            of=(*JOBS, "replay"),
        ),
        shared.HOSTS(of=JOBS),
        option(
            "--machine",
            "Nodes of the machine along each axis, if the job uses only some (default: those of "
            "the job).",
            Extents(1),
            "N ...",
            of=JOBS,
        ),
        option(
            "--beside",
            "Another job on the machine, as 'halo --nodes 4 4 --hosts random:1'; it gets hosts "
            "that are still free, and runs until the first job ends. The output shows how much "
            "they slow each other down. May be repeated.",
            None,
            "JOB",
            multiple=True,
            of=_OWN,
        ),
        option(
            "--background",
            "Traffic of single packets between all nodes during the jobs, without the stages of "
            "nodes: a pattern of --pattern and its load. May be repeated.",
            Parsed(_load_of),
            "PATTERN:LOAD",
            multiple=True,
            of=_OWN,
        ),
        shared.PLATFORM_SET(
            help="Change options or numbers of the platform, as nic.rx.translation=nios; "
            "separate by commas, or repeat."
        ),
        option("--bit-error-rate", "Bit error rate of every link.", Real(0), "RATE", of=_OWN),
        option("--dead-link", "Cut the cable at this port of a node.", None, "NODE:PORT", of=_OWN),
        option(
            "--slow-node",
            "Let a node's stages, and in cg its kernels, take TIMES times as long.",
            None,
            "NODE:TIMES",
            of=_OWN,
        ),
        option(
            "--seed",
            "Seed of bit errors and traffic.",
            Whole(0, MOST_SEED),
            "S",
            default=1,
            of=_OWN,
        ),
        option(
            "--scheduler",
            "Queue of events; the result is the same.",
            ("ladder", "heap"),
            default="ladder",
            of=("halo",),
        ),
        option(
            "--map",
            "Draw the torus, the rings or the levels of switches, each link coloured by the "
            "share of time it was busy, as png, pdf or svg.",
            PICTURE,
            of=_OWN,
        ),
        option(
            "--recording",
            "The file of onehop run --record, or the folder that ONEHOP_RECORDING named.",
            INPUT,
            of=("replay",),
        ),
        option(
            "--grid",
            "For replay: new extents of the program's periodic grid of ranks, instead of those "
            "recorded, with as much work for each rank.",
            Extents(1),
            "N ...",
            of=("replay",),
        ),
        option(
            "--scale-computing",
            "Factor for the computing time of a replay; 0: messages alone.",
            Real(0),
            "TIMES",
            default=1.0,
            of=("replay",),
        ),
        shared.PLOT(
            of=("traffic",),
            help="Draw accepted load, latencies, and link use over time, as png, pdf or svg.",
        ),
        shared.JSON(),
        shared.TRACE(
            of=("halo", "cg"),
            help="Write a timeline of all stages and links in virtual time, for ui.perfetto.dev.",
        ),
        shared.VERBOSE(),
    ],
    usage="PLATFORM halo|cg|allreduce|traffic|replay [options]",
    notes="Ports of a torus: 2*axis forward, 2*axis+1 backward. cpu_s and peak_rss_mib describe "
    "this computer; step_us is virtual time. Exit status 2 if a byte, packet or credit was "
    "lost.",
    examples=(
        "onehop simulate apenet-v4 halo --nodes 32 32 32 --message-bytes 24576",
        "onehop simulate tca-peach2 halo --nodes 8 2 --memory device --trace ring.json",
        "onehop simulate apenet-v4 halo --nodes 4 4 2 --dead-link 0:1 --bit-error-rate 1e-9",
        "onehop simulate slingshot traffic --pattern adversarial --load 0.1,0.3 --plot load.svg",
        "onehop simulate apenet-v4 cg --nodes 32 32 32 --lattice 64 64 64 128 --memory device",
        "onehop simulate pax halo --machine 64 --nodes 4 4 --beside 'halo --nodes 4 4'",
        "onehop simulate qpace replay --recording program.recording",
    ),
)
