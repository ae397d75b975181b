"""The numbers of an experiment that `onehop app event-stream` plays, from a file."""

import sys
from pathlib import Path

from onehop._core import FileError, UsageError
from onehop.cli._shared.option import Options
from onehop.nearest import nearest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

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


def shipped_folder() -> Path:
    """Returns where the files of this installation lie."""
    import onehop

    return Path(onehop.__file__).parent / "setups"


def shipped() -> list[str]:
    return sorted(path.stem for path in shipped_folder().glob("*.toml"))


def _find(name: str) -> Path:
    if name.endswith(".toml") or "/" in name:
        return Path(name)
    if name not in shipped():
        hint = nearest(name, shipped()) or f"; choose {', '.join(shipped())}, or a .toml file"
        raise UsageError(f"unknown setup {name!r}{hint}")
    return shipped_folder() / f"{name}.toml"


def read(name: str) -> dict:
    """Returns the values of a shipped setup or a file by the names of options; raises UsageError
    and FileError."""
    path = _find(name)
    try:
        with path.open("rb") as file:
            tables = tomllib.load(file)
    except OSError as error:
        raise FileError(f"cannot read setup {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise FileError(f"setup {path}: not TOML: {error}") from None
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
    """Sets what no option has said, by the setup's numbers or the usual ones, which go through the
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
