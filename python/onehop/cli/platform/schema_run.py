"""`onehop platform schema`: for editors."""

import json
from collections.abc import Sequence

from onehop import output
from onehop.cli._shared.option import Options
from onehop.netsim import platform_schema


def run(options: Options, _arguments: Sequence[str]) -> int:
    output.write_text(json.dumps(platform_schema.schema(), indent=1) + "\n", options.output)
    return 0
