"""Reads a platform file, applies the choices of its options, and checks it."""

import copy
import functools
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from onehop._core import UsageError
from onehop.nearest import nearest
from onehop.netsim import networks, platform_checks
from onehop.netsim.platform import Platform
from onehop.netsim.platform_tables import Option
from onehop.netsim.table import TableError, among, dotted, in_words
from onehop.shipped_files import ShippedFiles

_FILES = ShippedFiles("platform", "platform file", "platforms")
find, read = _FILES.find, _FILES.read


def shipped() -> list[str]:
    """Returns the names of the platforms that come with onehop."""
    return _FILES.names()


def load(name: str, chosen: Mapping[str, str] | None = None) -> Platform:
    """Loads a shipped platform by name or a platform file by path, with options such as
    {"nic.rx.translation": "nios"}; raises UsageError or FileError, one line with file and key."""
    if chosen is not None and not isinstance(chosen, Mapping):
        raise UsageError(
            f"the choices of {name} are of type {type(chosen).__name__}: give a dictionary, as "
            '{"wire.rate": "8"}'
        )
    path = find(str(name))
    try:
        tables = networks.take(path, _read_with_graphs(path), _read_with_graphs)
        written = {"option": tables.pop("option", {})}
        networks.choose(tables, written["option"])
        taken = _choose(path, tables, _OPTIONS.validate_python(written)["option"], chosen or {})
        platform = Platform.model_validate(tables | written)
        platform_checks.check(platform)
    except ValidationError as error:
        raise UsageError(f"platform file {path}: {in_words(error)}") from None
    except TableError as fault:
        raise UsageError(f"platform file {path}: {fault.key}: {fault}") from None
    platform._file, platform._chosen = path, taken
    return platform


@functools.cache
def networks_of(name: str) -> tuple[tuple[str, networks.Naming, Mapping[str, str]], ...]:
    """Returns the networks of a platform: the name of the one that each is by itself, how it is
    called in this one, and what is chosen of its options."""
    path = find(name)
    tables = read(path)
    return tuple(
        (networks.file_of(path, each).stem, networks.naming(tables, own), each.get("choose", {}))
        for own, each in tables.get("network", {}).items()
    )


def _read_with_graphs(path: Path) -> dict:
    """Reads a platform file, in which files of graphs are named as seen from it."""
    tables = read(path)
    fabrics = tables.get("fabric", {})
    for place in (tables, *(fabrics.values() if isinstance(fabrics, dict) else ())):
        topology = place.get("topology") if isinstance(place, dict) else None
        if isinstance(topology, dict) and isinstance(topology.get("file"), str):
            place["topology"] = topology | {"file": str(path.parent / topology["file"])}
    return tables


# The adapter has the folder's name, which messages then have.
_OPTIONS = TypeAdapter(dict[str, dict[str, Option]])


def _choose(
    path: Path, tables: dict, options: Mapping[str, Option], chosen: Mapping[str, str]
) -> dict[str, str]:
    """Puts the choices of all options into the tables, and returns what was chosen, defaults
    included."""
    taken: dict[str, str] = {}
    for name, option in options.items():
        word = chosen.get(name, option.default)
        if word not in option.choice:
            hint = among(option.choice, word)
            raise UsageError(f"platform {path.stem}: {name} does not know {word!r}{hint}")
        taken[name] = word
        # Every choice is checked for keys that do not exist, also those that are not taken.
        for choice, keys in option.choice.items():
            for key, value in keys.items():
                place = _table_of(tables, f"option.{name}: {key}", key)
                if choice == word:
                    place[key.rpartition(".")[2]] = copy.deepcopy(value)
    for key, text in chosen.items():
        if key not in options:
            _set_plain(path, tables, list(options), key, text)
            taken[key] = text
    return taken


def _table_of(tables: dict, where: str, key: str) -> dict:
    """Returns the table that holds `key`; raises TableError if there is none."""
    place = tables
    for folder in key.split(".")[:-1]:
        if not isinstance(place.get(folder), dict):
            raise TableError(where, f"there is no such name{nearest(folder, list(place))}")
        place = place[folder]
    return place


def _set_plain(path: Path, tables: dict, options: Sequence[str], key: str, text: str) -> None:
    """Sets `--platform-set stage.wire.rate=20`: a number in the unit of the file, or a word."""
    *folders, last = key.split(".")
    place: object = tables
    for folder in folders:
        place = place.get(folder) if isinstance(place, dict) else None
    old = place.get(last) if isinstance(place, dict) else None
    if old is None:
        known = [*options, *_keys_below(tables, "")]
        hint = nearest(key, known) or f"; options are {', '.join([*options, 'variant'])}"
        raise UsageError(f"platform {path.stem}: no option or number is called {key!r}{hint}")
    if isinstance(old, dict) and "value" in old:
        try:
            number = float(text)
        except ValueError:
            raise UsageError(
                f"platform {path.stem}: {key}={text}: a number in {old.get('unit')} is needed"
            ) from None
        place[last] = old | {"value": number, "state": "assumed", "source": "set by the user"}
    elif isinstance(old, str):
        place[last] = text
    else:
        raise UsageError(f"platform {path.stem}: {key} cannot be set from outside")


def _keys_below(tables: Mapping, prefix: str) -> list[str]:
    found = []
    for key, value in tables.items():
        name = dotted((prefix, key))
        if isinstance(value, dict) and "value" not in value:
            found += _keys_below(value, name)
        else:
            found.append(name)
    return found
