"""Takes the networks of other platform files into the tables of one whose nodes have several."""

import copy
from collections.abc import Callable, Mapping
from pathlib import Path

from onehop.netsim.table import TableError, dotted

# The processor of a node is one server, whichever network its software serves.
PROCESSOR = "cpu"
_FOLDERS = ("stage", "path", "protocol", "algorithm")
_OF_NODES = ("host", "gpu")
_OF_FABRIC = ("topology", "wire", "congestion")
_LEFT = ("format", "name", "title", "about", "variant", "branch", "option")
# Values that are names, by folder: of stages, of paths.
_STAGES = {"path": ("origin", "target")}
_PATHS = {
    "protocol": ("path", "grant", "credit", "request", "notice"),
    "collective": ("copy_out", "copy_in", "short_out", "short_in"),
    "algorithm": ("copy_out", "copy_in"),
}


class Naming:
    """How what a file says is called in the tables of another one that takes it as a network;
    `is_first` where it is the network without a name there."""

    def __init__(self, name: str, *, is_first: bool) -> None:
        self._name, self._is_first = name, is_first

    def key(self, key: str) -> str:
        """Returns a dotted key of the file as the other one has it."""
        folder, _, rest = key.partition(".")
        if folder in _FOLDERS:
            return f"{folder}.{self._name}-{rest}"
        if folder in _OF_FABRIC:
            return key if self._is_first else f"fabric.{self._name}.{key}"
        return f"fabric.{self._name}-{rest}" if folder == "fabric" else key

    def option(self, name: str) -> str:
        return f"{self._name}.{name}"

    def tables(self, tables: Mapping) -> dict:
        """Returns the tables of the file with the names they have in the other one."""
        found: dict = {}
        for folder, members in tables.items():
            if folder in _LEFT:
                continue
            if folder not in (*_FOLDERS, "fabric", "collective"):
                _put(found, self.key(folder), members)
                continue
            for name, table in members.items():
                _put(found, self.key(f"{folder}.{name}"), self._whole(folder, name, table))
        return found

    def choice(self, keys: Mapping) -> dict:
        """Returns what a choice of an option puts into the tables, with the names of the other
        file."""
        return {self.key(key): self._value(key.split("."), value) for key, value in keys.items()}

    def _whole(self, folder: str, name: str, table: object) -> object:
        if not isinstance(table, dict):
            return table
        found = {key: self._value([folder, name, key], value) for key, value in table.items()}
        if folder == "path" and not self._is_first:
            found.setdefault("fabric", self._name)
        return found

    def _value(self, keys: list[str], value: object) -> object:
        """Returns the value of a dotted key with the names that are in it."""
        folder, last = keys[0], keys[-1]
        if len(keys) == 2:
            return self._whole(folder, last, value)
        if folder == "stage" and last == "unit":
            return value if value == PROCESSOR else f"{self._name}-{value}"
        if last in _STAGES.get(folder, ()) and isinstance(value, list):
            return [f"{self._name}-{stage}" for stage in value]
        if folder == "path" and last == "fabric" and value:
            return f"{self._name}-{value}"
        if last in _PATHS.get(folder, ()) and value:
            return f"{self._name}-{value}"
        return value


def naming(tables: Mapping, name: str) -> Naming:
    """Returns how the network `name` of a file is called in it, `tables` being those of the file:
    the first is its network without a name, unless the file has one of its own."""
    first = next(iter(tables.get("network", {})), "")
    return Naming(name, is_first=name == first and "topology" not in tables)


def file_of(path: Path, network: Mapping) -> Path:
    """Returns the platform file of a network of the file at `path`."""
    return path.parent / network["file"]


def take(path: Path, tables: dict, read: Callable[[Path], dict]) -> dict:
    """Returns the tables of a platform file with those of its networks, whose options have the
    network's name before theirs. Raises TableError for names that two of them have."""
    networks = tables.get("network", {})
    if not isinstance(networks, dict):
        return tables
    found = {
        key: dict(value) if isinstance(value, dict) else value for key, value in tables.items()
    }
    variants: dict[str, str] = {}
    for name, network in networks.items():
        where = f"network.{name}.file"
        if not isinstance(network, dict) or not isinstance(network.get("file"), str):
            raise TableError(where, "missing; a platform file is needed")
        other = file_of(path, network)
        if not other.is_file():
            raise TableError(where, f"there is no {other}")
        theirs = read(other)
        if "network" in theirs:
            raise TableError(where, f"{other.name} has networks of other files itself")
        for variant in {row["variant"] for row in _rows(theirs) if "variant" in row}:
            if variants.setdefault(variant, name) != name:
                what = f"its variant {variant!r} is that of network {variants[variant]} too"
                raise TableError(where, what)
        _merge(found, naming(tables, name), theirs)
    return found


def _rows(tables: Mapping) -> list[dict]:
    rows = tables.get("protocol", {})
    rows = rows.values() if isinstance(rows, dict) else ()
    return [row for row in rows if isinstance(row, dict)]


def _merge(found: dict, called: Naming, theirs: Mapping) -> None:
    for folder, members in called.tables(theirs).items():
        if folder in (*_OF_NODES, *_OF_FABRIC):
            found.setdefault(folder, members)
            continue
        place = found.setdefault(folder, {})
        for name, table in members.items():
            place[name] = table | place.get(name, {})
    options = found.setdefault("option", {})
    for name, option in theirs.get("option", {}).items():
        choices = option.get("choice", {})
        renamed = {word: called.choice(keys) for word, keys in choices.items()}
        options[called.option(name)] = copy.deepcopy(option) | {"choice": renamed}


def _put(tables: dict, key: str, value: object) -> None:
    *folders, last = key.split(".")
    for folder in folders:
        tables = tables.setdefault(folder, {})
    tables[last] = value


def choose(tables: Mapping, options: Mapping[str, dict]) -> None:
    """Makes what a network chooses of its options their default. Raises TableError for an option or
    a choice that the network does not have."""
    for name, network in tables.get("network", {}).items():
        for option, word in network.get("choose", {}).items():
            full = f"{name}.{option}"
            if full not in options or word not in options[full].get("choice", {}):
                key = dotted(("network", name, "choose", option))
                raise TableError(key, f"the network has no such option, or no choice {word!r}")
            options[full]["default"] = word
