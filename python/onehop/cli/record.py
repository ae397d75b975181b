"""The JSON record of a command."""

from __future__ import annotations

import json
import math
import platform
import sys
from typing import TYPE_CHECKING

import numpy as np

from onehop import _core
from onehop.output import complete_or_absent

if TYPE_CHECKING:
    import types
    from collections.abc import Callable


def machine() -> dict:
    """The facts of this machine that do not change from run to run."""
    facts = _core.inspect_machine()
    return {
        "host": facts.host,
        "cpu_model": facts.cpu_model,
        "isa": facts.isa,
        "usable_cores": facts.usable_cores,
        "memory_bytes": facts.memory_bytes,
        "shm_bytes": facts.shm_bytes,
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }


def new_record(command: str, options: types.SimpleNamespace) -> dict:
    """The keys that every record has; the command fills samples, check and timing."""
    return {
        "schema": f"onehop.{command}/1",
        "command": command,
        "version": _core.__version__,
        "machine": machine(),
        "options": dict(vars(options)),
        "samples": [],
        "check": {},
        "timing": {},
    }


def finite(values: np.ndarray | float | None) -> list | float | None:
    """Numbers for JSON, which knows no NaN."""
    if values is None:
        return None
    if isinstance(values, np.ndarray):
        return [finite(float(v)) for v in values]
    return float(values) if math.isfinite(values) else None


def deliver(
    record: dict, options: types.SimpleNamespace, show: Callable[[dict], None] | None = None
) -> int:
    """Shows a finished record, unless it goes to standard output itself, and writes it; returns
    the exit status, by its check."""
    if show is not None and options.json != "-":
        show(record)
        sys.stdout.flush()
    if options.json:
        write_record(record, options.json)
    return 0 if record["check"]["passed"] else 1


def write_record(record: dict, name: str) -> None:
    text = json.dumps(record, indent=1, allow_nan=False) + "\n"
    if name == "-":
        sys.stdout.write(text)
        return
    with complete_or_absent(name) as temporary:
        temporary.write_text(text)
