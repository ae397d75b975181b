"""What `onehop tune` found on this machine, kept in a file of the user's.

Without that file, or with one from another machine or version, ranks choose between two built-in
tables, for near and for far cores, by the time that a message takes; and hops go about their work
as the bytes that they move suggest.
"""

from __future__ import annotations

import dataclasses
import json
import os
import tempfile
from pathlib import Path

from onehop import _core
from onehop._core import UsageError

SCHEMA = "onehop.tuning/1"
_CHANNELS = "ONEHOP_CHANNELS"


@dataclasses.dataclass(frozen=True)
class Choice:
    """`channels` in the words of ONEHOP_CHANNELS, empty for the built-in table; `why` in ours."""

    channels: str
    why: str


def path() -> Path:
    """ONEHOP_TUNING, or tuning.json in the user's cache folder."""
    named = os.environ.get("ONEHOP_TUNING")
    if named:
        return Path(named)
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "onehop" / "tuning.json"


def identity() -> dict:
    """What must be the same for a measurement to hold."""
    facts = _core.inspect_machine()
    return {
        "version": _core.__version__,
        "host": facts.host,
        "cpu_model": facts.cpu_model,
        "isa": facts.isa,
    }


def choice() -> Choice:
    """What ranks that are started now will use. Raises UsageError for a file that is no tuning."""
    named = os.environ.get(_CHANNELS)
    if named is None:
        return _of_file()
    # A rank was given the variable by its launcher, which may have read the file.
    found = _of_file() if "ONEHOP_RANK" in os.environ else None
    if found is not None and found.channels == named:
        return found
    return Choice(named, f"{_CHANNELS} says so")


def blocks() -> dict[str, str]:
    """Threads per block of each device that was tuned here, by its name."""
    return dict((_read() or {}).get("blocks", {}))


def hops() -> dict[str, str]:
    """How hops that were tuned here are best done, as solve_options::hops has it."""
    return {
        f"{name} x{rhs}": words
        for name, found in tuned_hops().items()
        for rhs, words in found["ways"].items()
        if words
    }


def together() -> dict[str, int]:
    """How many sources are best solved together, by the names of hops."""
    return {name: found["together"] for name, found in tuned_hops().items() if "together" in found}


def tuned_hops() -> dict[str, dict]:
    """What was found of each hop, by its name: `ways`, in words by right-hand sides, and how many
    sources go `together`."""
    return (_read() or {}).get("hops", {})


def save_hop(name: str, ways: dict[str, str], together: int | None) -> Path:
    """`ways` in the words of hop_choice by right-hand sides, "" where by size is best."""
    kept = dict(_kept().get("hops", {}))
    known = kept.get(name, {"ways": {}})
    found = known | {"ways": known["ways"] | ways}
    if together is not None:
        found["together"] = together
    return save({"hops": kept | {name: found}})


def _of_file() -> Choice:
    file = path()
    found = _read()
    if found is None:
        return Choice("", "onehop tune has not been run")
    if found.get("identity") != identity():
        return Choice("", f"{file} is of another machine or version")
    if "channels" not in found:
        return Choice("", f"{file} has none of lines between cores")
    return Choice(found["channels"], f"{file}, cores {found.get('regime')}")


def _read() -> dict | None:
    """What the file says where it is of this machine and version, its identity alone where not;
    None without a file."""
    file = path()
    try:
        found = json.loads(file.read_text())
    except FileNotFoundError:
        if "ONEHOP_TUNING" in os.environ:
            raise UsageError(f"ONEHOP_TUNING: {file} does not exist; run onehop tune") from None
        return None
    except (ValueError, UnicodeDecodeError):
        raise UsageError(f"{file} is no JSON; remove it or run onehop tune") from None
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}; name another with ONEHOP_TUNING") from None
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise UsageError(f"{file} is no {SCHEMA}; remove it or run onehop tune")
    if found.get("identity") != identity():
        return {"identity": found.get("identity")}
    _check(file, found)
    return found


def _check(file: Path, found: dict) -> None:
    try:
        if "channels" in found or not {"blocks", "hops"} & set(found):
            _core.check_channels(found["channels"])
        for words in found.get("blocks", {}).values():
            _core.check_blocks(words)
        for hop in found.get("hops", {}).values():
            _check_hop(hop)
    except (AttributeError, KeyError, TypeError, ValueError, UsageError) as error:
        raise UsageError(f"{file} is damaged ({error}); remove it or run onehop tune") from None


def _check_hop(hop: dict) -> None:
    if not isinstance(hop.get("together", 1), int) or hop.get("together", 1) < 1:
        raise TypeError(f"sources together: {hop['together']}")
    for rhs, words in hop["ways"].items():
        int(rhs)
        _core.check_hop_choice(words)


def environment() -> dict[str, str]:
    """What a launcher adds to the environment of ranks."""
    channels = choice().channels
    return {_CHANNELS: channels} if channels else {}


def save(found: dict) -> Path:
    """Keeps `found` beside what the file has of this machine and version besides."""
    kept = _kept()
    return _write(kept | {"schema": SCHEMA, "identity": identity()} | found)


def save_blocks(device: str, words: str) -> Path:
    return save({"blocks": _kept().get("blocks", {}) | {device: words}})


def _kept() -> dict:
    """A file that is damaged, or of elsewhere, is about to be replaced."""
    try:
        found = _read() if path().exists() else None
    except UsageError:
        return {}
    return found if found is not None and found["identity"] == identity() else {}


def _write(content: dict) -> Path:
    """Writes the file whole or not at all, for nobody else to read."""
    file = path()
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(descriptor, "w") as stream:
            stream.write(json.dumps(content, indent=1, allow_nan=False) + "\n")
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return file
