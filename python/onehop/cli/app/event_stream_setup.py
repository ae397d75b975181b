"""Reads the numbers of an experiment that `onehop app event-stream` simulates."""

from pathlib import Path

from onehop._core import FileError
from onehop.cli._shared.option import Options
from onehop.nearest import nearest
from onehop.shipped_files import ShippedFiles

USUAL = {
    "sources": 1,
    "consumers": 1,
    "events_per_s": 1e6,
    "arrivals": "poisson",
    "deadline_us": 1000.0,
    "hits": "rings",
    "payload_bytes": 0,
    "datagram_bytes": 1472,
    "gather_us": 200.0,
    "buffers": 16,
}
_STATES = ("published", "assumed")
_FILES = ShippedFiles("setup", "setup", "setups")
shipped = _FILES.names


def read(name: str) -> dict:
    """Returns the values of a shipped setup or a file by the names of options; raises UsageError
    and FileError."""
    path = _FILES.find(name)
    tables = _FILES.read(path)
    if not isinstance(tables.pop("title", ""), str):
        raise FileError(f"setup {path}: title: words are needed")
    return {key: _value(path, key, table) for key, table in tables.items()}


def _value(path: Path, key: str, table: object) -> object:
    if key not in USUAL:
        hint = nearest(key, USUAL) or f"; choose {', '.join(USUAL)}"
        raise FileError(f"setup {path}: unknown key {key!r}{hint}")
    if not isinstance(table, dict) or set(table) != {"value", "state", "source"}:
        raise FileError(f"setup {path}: {key}: give value, state and source")
    if table["state"] not in _STATES:
        raise FileError(f"setup {path}: {key}: state must be {' or '.join(_STATES)}")
    return table["value"]


def fill(options: Options) -> None:
    """Fills in options that were not given, from the setup or the defaults, which go through the
    types of the options; raises UsageError and FileError."""
    from onehop.cli.app.event_stream import COMMAND

    given = read(options.setup) if options.setup else {}
    types_of = {parameter.name: parameter.type for parameter in COMMAND.params}
    for key, usual in USUAL.items():
        if getattr(options, key) is None:
            value = usual
            if key in given:
                value = _checked(options.setup, key, given[key], types_of[key])
            setattr(options, key, value)


def _checked(setup: str, key: str, value: object, kind: object) -> object:
    import click

    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise FileError(f"setup {setup}: {key}: a number or a word is needed")
    try:
        return kind.convert(value, None, None)
    except click.BadParameter as error:
        raise FileError(f"setup {setup}: {key}: {error.message}") from None
