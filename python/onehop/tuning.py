"""Keeps the results of `onehop tune` on this machine in a file of the user.

The library reads the file (src/tuning/tuning.hpp says what is in it), which is written here.
Without one, or with one from another machine or version, ranks choose between two built-in tables,
for near and for far cores, by the time that a message takes; and hops choose by the bytes that they
move.
"""

import dataclasses
import json
import os
import tempfile
from pathlib import Path

from onehop import _core, output
from onehop._core import FileError, UsageError

_CHANNELS = "ONEHOP_CHANNELS"
_FILE = "ONEHOP_TUNING"


@dataclasses.dataclass(frozen=True)
class Choice:
    """`channels` in the words of ONEHOP_CHANNELS, empty for the built-in table; `why` in ours."""

    channels: str
    why: str


def path() -> Path:
    """Returns ONEHOP_TUNING, or tuning.json in the user's cache folder."""
    return Path(_core.tuning_file())


def choice() -> Choice:
    """Returns what ranks that are started now will use. Raises UsageError for a file that onehop
    tune did not write."""
    named = os.environ.get(_CHANNELS)
    if named is None:
        return _of_file()
    # A rank was given the variable by its launcher, which may have read the file.
    found = _of_file() if "ONEHOP_RANK" in os.environ else None
    if found is not None and found.channels == named:
        return found
    return Choice(named, f"{_CHANNELS} says so")


def tuned_hops() -> dict[str, dict]:
    """Returns the tuned settings of each hop, by its name: `ways`, in words by right-hand sides,
    and how many sources are solved `together`."""
    return {
        name: {"ways": {str(rhs): words for rhs, words in hop.ways.items()}}
        | ({} if hop.together is None else {"together": hop.together})
        for name, hop in _core.read_tuning().hops.items()
    }


def save_hop(name: str, ways: dict[str, str], together: int | None) -> Path:
    """Saves `ways` in the words of hop_choice by right-hand sides; "" if the choice by size is
    best."""
    kept = dict(_kept().get("hops", {}))
    known = kept.get(name, {"ways": {}})
    found = known | {"ways": known["ways"] | ways}
    if together is not None:
        found["together"] = together
    return save({"hops": kept | {name: found}})


def _of_file() -> Choice:
    file, found = path(), _core.read_tuning()
    if not found.found:
        return Choice("", "onehop tune has not been run")
    if not found.holds:
        return Choice("", f"{file} comes from another machine or version")
    if found.channels is None:
        return Choice("", f"{file} has no settings for lines between cores")
    try:
        _core.check_channels(found.channels)
    except UsageError as error:
        raise UsageError(
            f"{file} is damaged ({error}); run onehop tune, which writes it anew"
        ) from None
    return Choice(found.channels, f"{file}, cores {found.regime}")


def environment() -> dict[str, str]:
    """Returns the variables that a launcher adds to the environment of ranks."""
    channels = choice().channels
    return {_CHANNELS: channels} if channels else {}


def save(found: dict) -> Path:
    """Keeps `found` together with what else the file has of this machine and version."""
    here = _core.tuning_identity()
    identity = {name: getattr(here, name) for name in ("version", "host", "cpu_model", "isa")}
    return _write(_kept() | {"schema": _core.TUNING_SCHEMA, "identity": identity} | found)


def check_replaceable() -> None:
    """Raises UsageError if `save` would replace a file that ONEHOP_TUNING names and onehop tune
    has not written, and FileError if it could write none."""
    output.make_folder_of_user(path().parent, _FILE)
    output.check_writable(str(path()))
    if not os.environ.get(_FILE) or not path().exists():
        return
    try:
        content = path().read_text()
        schema = json.loads(content).get("schema", "") if content else _core.TUNING_SCHEMA
    except OSError as error:
        raise FileError(f"{_FILE}: cannot read {path()}: {error.strerror}") from None
    except (ValueError, AttributeError, RecursionError):
        schema = ""
    if str(schema).partition("/")[0] != _core.TUNING_SCHEMA.partition("/")[0]:
        raise UsageError(f"{path()} is not of onehop tune; name another file with {_FILE}")


def save_blocks(device: str, words: str) -> Path:
    return save({"blocks": _kept().get("blocks", {}) | {device: words}})


def _kept() -> dict:
    """Returns the contents of the file that are kept; a damaged file, or one of another machine,
    will be replaced."""
    if not path().exists():
        return {}
    try:
        _of_file()
        holds = _core.read_tuning().holds
    except UsageError:
        return {}
    return json.loads(path().read_text()) if holds else {}


def _write(content: dict) -> Path:
    """Writes the file whole or not at all, for nobody else to read."""
    file = path()
    output.make_folder_of_user(file.parent, _FILE)
    descriptor, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(descriptor, "w") as stream:
            stream.write(json.dumps(content, indent=1, allow_nan=False) + "\n")
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return file
