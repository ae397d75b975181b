"""`onehop platform schema`: for editors."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from onehop import output
from onehop.netsim import platform_schema

if TYPE_CHECKING:
    import types
    from collections.abc import Sequence


def run(options: types.SimpleNamespace, _arguments: Sequence[str]) -> int:
    text = json.dumps(platform_schema.schema(), indent=1) + "\n"
    if options.output is None:
        sys.stdout.write(text)
        return 0
    with output.complete_or_absent(options.output) as temporary:
        temporary.write_text(text)
    print(f"onehop: wrote {options.output}", file=sys.stderr)
    return 0
