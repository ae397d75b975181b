"""The option table of `onehop scale`."""

from __future__ import annotations

import dataclasses

from onehop.cli import shared_options as shared
from onehop.cli.options import Command, Option
from onehop.cli.values import output_name, positive


def node_counts(text: str) -> list[int]:
    """'16,64' or '16:32768', which doubles."""
    first, colon, last = text.partition(":")
    parts = [first, last] if colon else text.split(",")
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise ValueError("numbers of nodes are needed, as 16,64,256 or 16:32768")
    numbers = [int(part) for part in parts]
    if not colon:
        return sorted(set(numbers))
    if numbers[0] > numbers[1]:
        raise ValueError("the first number of a range is the smallest")
    return [numbers[0] << k for k in range((numbers[1] // numbers[0]).bit_length())]


def platform_names(text: str) -> list[str]:
    """'apenet-v5,tca-peach2'."""
    names = text.split(",")
    if not all(names):
        raise ValueError("names or files of platforms are needed, as apenet-v5,infiniband-qdr")
    return list(dict.fromkeys(names))


SCALE = Command(
    "scale",
    "How a CG iteration scales on networks side by side, and where each stops.",
    "scale --lattice X Y Z T [--platforms LIST] [--nodes LIST] [options]",
    (
        dataclasses.replace(shared.LATTICE, is_required=True),
        Option(
            "--dslash",
            "the operator",
            default="wilson",
            choices=("wilson", "clover", "staggered", "asqtad", "hisq"),
        ),
        Option(
            "--platforms",
            "names or files of platforms",
            platform_names,
            "apenet-v4,apenet-v5,infiniband-qdr,ndr-h200",
            "LIST",
        ),
        Option(
            "--nodes",
            "numbers of nodes, as 16,64 or doubling as 16:32768",
            node_counts,
            "16:32768",
            "LIST",
        ),
        Option(
            "--prec",
            "of vectors and links",
            default="single",
            choices=("double", "single", "half"),
        ),
        Option(
            "--overlap",
            "compute the interior while faces travel, or not",
            default="fused",
            choices=("none", "fused"),
        ),
        Option(
            "--node-gflops",
            "a node's sustained rate, instead of its GPUs' roofline: the same node on all networks",
            positive,
            value="G",
            unit="GFlop/s",
        ),
        Option(
            "--simulate",
            "also packet by packet in virtual time, on process grids without folded axes",
            is_flag=True,
        ),
        Option("--plot", "draw it (png, pdf, svg)", output_name, value="FILE"),
        shared.JSON,
        shared.VERBOSE,
    ),
    notes=(
        "In closed form from the platform files; the best process grid is taken for each number\n"
        "of nodes. See docs/how_to/choose_a_network.md."
    ),
    examples=(
        "onehop scale --lattice 64 64 64 128 --platforms apenet-v5,infiniband-qdr --nodes 16:4096",
        "onehop scale --lattice 48x48x48x96 --node-gflops 500 --plot scale.png",
    ),
)
