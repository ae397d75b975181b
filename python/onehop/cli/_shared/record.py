"""Ends a command that made a record."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from onehop.record import write_record

if TYPE_CHECKING:
    import types
    from collections.abc import Callable


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
