"""`onehop platform schema`: for editors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from onehop import output
from onehop.netsim import platform_schema

if TYPE_CHECKING:
    import types
    from collections.abc import Sequence


def run(options: types.SimpleNamespace, _arguments: Sequence[str]) -> int:
    output.write_text(json.dumps(platform_schema.schema(), indent=1) + "\n", options.output)
    return 0
