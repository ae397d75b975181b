"""Ends a command that made a record."""

import sys
from collections.abc import Callable

from onehop.cli._shared.hdf5_file import write_hdf5
from onehop.cli._shared.option import Options
from onehop.record import write_record


def deliver(
    record: dict,
    options: Options,
    show: Callable[[dict], None] | None = None,
    draw: Callable[[dict, str], None] | None = None,
) -> int:
    """Shows a finished record, unless the record itself goes to standard output, and writes it;
    then, if the options ask for it, draws it and writes it as HDF5. Returns the exit status,
    from the record's check. The record is written first, so that it is complete even if there is
    no room for the rest."""
    if show is not None and options.json != "-":
        show(record)
        sys.stdout.flush()
    if options.json:
        write_record(record, options.json)
    if draw is not None and options.plot:
        draw(record, options.plot)
    if getattr(options, "hdf5", None):
        write_hdf5(record, options.hdf5)
    return 0 if record["check"]["passed"] else 1
