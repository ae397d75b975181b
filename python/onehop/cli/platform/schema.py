"""`onehop platform schema`: for editors."""

import json
from collections.abc import Sequence

from onehop import output
from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command
from onehop.cli._shared.option import Options
from onehop.netsim import platform_schema

COMMAND = Command(
    "schema",
    [shared.OUT(help="File for the schema (default: standard output).")],
    usage="[-o FILE]",
    notes="An editor finds the schema by the first line of a platform file: #:schema "
    "./platform.schema.json, as onehop platform new writes it.",
    examples=("onehop platform schema -o platform.schema.json",),
)


def run(options: Options, _arguments: Sequence[str]) -> int:
    output.write_text(json.dumps(platform_schema.schema(), indent=1) + "\n", options.output)
    return 0
