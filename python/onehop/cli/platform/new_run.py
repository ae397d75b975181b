"""`onehop platform new`: a platform file to start from."""

import re
from collections.abc import Sequence
from pathlib import Path

from onehop import output
from onehop._core import FileError, UsageError
from onehop.cli._shared.option import Options
from onehop.netsim import platform_file, template


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
