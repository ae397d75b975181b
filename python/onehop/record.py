"""Records hold the results of a command, or a notebook, as JSON."""

from __future__ import annotations

import json
import math
import platform
import sys
import time
import types
from collections.abc import Iterable
from typing import TYPE_CHECKING

from onehop import _core, virtual
from onehop.output import complete_or_absent

if TYPE_CHECKING:
    import numpy as np


def machine() -> dict:
    """Returns the facts of this machine that do not change from run to run."""
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


def new_record(command: str, options: types.SimpleNamespace | dict) -> dict:
    """Returns the keys that every record has; the caller fills samples, check and timing."""
    return {
        "schema": f"onehop.{command}/1",
        "command": command,
        "version": _core.__version__,
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": machine(),
        "options": dict(options if isinstance(options, dict) else vars(options)),
        "samples": [],
        "check": {},
        "timing": {},
    }


def finite(values: np.ndarray | float | None) -> list | float | None:
    """Returns numbers for JSON, which knows no NaN."""
    if values is None:
        return None
    if isinstance(values, Iterable):
        return [finite(float(v)) for v in values]
    return float(values) if math.isfinite(values) else None


def virtual_part(context: _core.Context) -> dict:
    """Returns the key `virtual`: what bounded ranks on a virtual machine, from when they began
    until now; nothing on a real transport, nor for ranks of onehop run, whose launcher has the
    machine."""
    if not virtual.is_virtual(context.transport):
        return {}
    accounts = _core.virtual_accounts(context)
    return {} if accounts is None else part_of_accounts(accounts)


def part_of_accounts(accounts: _core.VirtualAccounts) -> dict:
    """Returns the key `virtual` of a machine at hand."""
    from onehop.netsim.run_reading import reading

    found = reading(accounts, accounts.now_ps)
    found["links"] = found.pop("hottest_links")
    return {"virtual": {"virtual_time_us": accounts.now_ps * 1e-6, **found}}


def write_record(record: dict, name: str) -> None:
    """Writes the record whole or not at all; `-` is standard output.

    >>> quark = onehop.solve(gauge, kappa=0.12)
    >>> onehop.write_record(onehop.solve_record(gauge, quark), "solved.json")
    >>> onehop.samples_of(["solved.json"], "correlator").shape
    (1, 8)
    """
    text = json.dumps(record, indent=1, allow_nan=False) + "\n"
    if name == "-":
        sys.stdout.write(text)
        return
    with complete_or_absent(name) as temporary:
        temporary.write_text(text)
