"""`onehop platform new`: a platform file to start from."""

import re
from collections.abc import Sequence
from pathlib import Path

from onehop import output
from onehop._core import FileError, UsageError
from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command
from onehop.cli._shared.option import Options, argument, option
from onehop.netsim import platform_file, template
from onehop.netsim.template import TOPOLOGIES

COMMAND = Command(
    "new",
    [
        argument("NAME", "Name of the machine: letters, digits, dots and dashes."),
        shared.OUT(help="The new file, which must not exist yet (default: standard output)."),
        option(
            "--topology",
            "Network that connects its nodes (default: torus).",
            tuple(TOPOLOGIES),
        ),
        option("--like", "Start instead from all numbers of this machine.", None, "PLATFORM"),
    ],
    usage="NAME [-o FILE] [--topology TOPOLOGY | --like PLATFORM]",
    notes="Its numbers are assumed: replace them by your own, each with its source and state.",
    examples=(
        "onehop platform new mine -o mine.toml",
        "onehop platform new mine --topology fat-tree -o mine.toml",
        "onehop platform new faster-tca --like tca-peach2 -o faster-tca.toml",
    ),
)


def run(options: Options, _arguments: Sequence[str]) -> int:
    text = _text(options)
    # Hours of work may stand in a platform file.
    if options.output is not None and Path(options.output).exists():
        raise FileError(f"{options.output} is there already; give another name")
    output.write_text(text, options.output)
    return 0


def _text(options: Options) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]*", options.name):
        what = "letters, digits, dots and dashes are needed, a letter or digit first"
        raise UsageError(f"NAME: {options.name!r}: {what}")
    if options.like is None:
        return template.text(options.name, options.topology or "torus")
    if options.topology:
        raise UsageError("--topology is that of the machine that --like names; give one of them")
    return template.like(options.name, platform_file.find(options.like))
