"""Reads a platform file, applies options, and checks every key against the schema."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from onehop._core import FileError, UsageError
from onehop.nearest import nearest
from onehop.netsim import quantity, schema
from onehop.netsim.quantity import Quantity

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_QUANTITY_KEYS = ("value", "unit", "source", "state", "note")


def shipped_folder() -> Path:
    """Where the platform files of this installation lie."""
    return Path(__file__).parent.parent / "platforms"


def shipped() -> list[str]:
    """Names of the platforms that come with onehop."""
    return sorted(path.stem for path in shipped_folder().glob("*.toml"))


def find(name: str) -> Path:
    """A shipped platform by name, or a file of the user's by its path; raises UsageError."""
    path = Path(name)
    if path.suffix == ".toml" or "/" in name:
        if not path.is_file():
            raise FileError(f"cannot read platform file {name}: no such file")
        return path
    if name not in shipped():
        hint = nearest(name, shipped()) or f"; choose {', '.join(shipped())}, or a .toml file"
        raise UsageError(f"unknown platform {name!r}{hint}")
    return shipped_folder() / f"{name}.toml"


def read(path: Path) -> dict:
    """The tables as TOML gives them; raises FileError with file and line."""
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise FileError(f"cannot read platform file {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileError(f"platform file {path}: not TOML: {error}") from None


class Reader:
    """Turns TOML values into checked ones; every complaint names file and key."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def fail(self, key: str, what: str) -> UsageError:
        return UsageError(f"platform file {self._path}: {key}: {what}")

    def table(self, where: str, value: object, rules: schema.Table) -> dict:
        """The checked values of one table."""
        if not isinstance(value, dict):
            raise self.fail(where, "a table is needed")
        for key in value:
            if key not in rules:
                hint = nearest(key, list(rules)) or f"; known are {', '.join(rules)}"
                raise self.fail(_join(where, key), f"unknown key{hint}")
        for key, rule in rules.items():
            if rule.required and key not in value:
                raise self.fail(_join(where, key), "missing")
        return {key: self.value(_join(where, key), value[key], rules[key]) for key in value}

    def value(self, key: str, value: object, rule: object) -> object:
        if isinstance(rule, schema.Number):
            return self._number(key, value, rule)
        if isinstance(rule, schema.Names):
            if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
                raise self.fail(key, "a list of stage names is needed")
            return list(value)
        if not isinstance(value, str):
            raise self.fail(key, "a word in quotes is needed")
        if rule.choices and value not in rule.choices:
            hint = nearest(value, rule.choices) or f"; choose {', '.join(rule.choices)}"
            raise self.fail(key, f"does not know {value!r}{hint}")
        return value

    def _number(self, key: str, value: object, rule: schema.Number) -> object:
        if not isinstance(value, dict):
            if rule.dimension == "count" and isinstance(value, int) and not rule.is_list:
                value = {"value": value, "unit": "1", "source": "-", "state": "published"}
            else:
                raise self.fail(key, "write { value = ..., unit = ..., source = ..., state = ... }")
        for name in value:
            if name not in _QUANTITY_KEYS:
                raise self.fail(_join(key, name), f"unknown key{nearest(name, _QUANTITY_KEYS)}")
        for name in _QUANTITY_KEYS[:-1]:
            if name not in value:
                raise self.fail(key, f"{name} missing")
        if value["state"] not in quantity.STATES:
            hint = nearest(str(value["state"]), quantity.STATES)
            raise self.fail(
                key, f"state {value['state']!r}: one of {', '.join(quantity.STATES)}{hint}"
            )
        unit = str(value["unit"])
        scale = quantity.factor(unit, rule.dimension)
        if scale is None:
            known = quantity.units_of(rule.dimension)
            hint = nearest(unit, known) or f"; known are {', '.join(known)}"
            raise self.fail(key, f"unit {unit!r} does not measure a {rule.dimension}{hint}")
        many = value["value"] if rule.is_list else [value["value"]]
        if not isinstance(many, list) or not many:
            raise self.fail(key, "a list of numbers is needed")
        found = [self._one(key, v, unit, scale, rule, value) for v in many]
        return found if rule.is_list else found[0]

    def _one(
        self, key: str, number: object, unit: str, scale: float, rule: schema.Number, about: dict
    ) -> Quantity:
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise self.fail(key, f"value {number!r} is not a number")
        base = number * scale
        if not math.isfinite(base):
            raise self.fail(key, f"value {number} is not finite")
        if rule.dimension == "count" and base != int(base):
            raise self.fail(key, f"{number:g} {unit} is no whole number")
        most = min(rule.most, _LONGEST_PS) if rule.dimension == "time" else rule.most
        if base < rule.least or base > most:
            bound = f"at least {rule.least:g}" if base < rule.least else f"at most {most:g}"
            what = {"time": " ps", "rate": " B/s", "bytes": " B"}.get(rule.dimension, "")
            raise self.fail(key, f"{number:g} {unit} is out of range; {bound}{what} is needed")
        return Quantity(float(number), unit, base, about["state"], str(about["source"]))


# A quarter of an hour; picoseconds are counted in 64 bits.
_LONGEST_PS = 1e15


def _join(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key


def with_options(
    path: Path, tables: dict, chosen: Mapping[str, str]
) -> tuple[dict, dict[str, str]]:
    """The tables after the choices of all options, and what was chosen, defaults included."""
    reader = Reader(path)
    tables = _copy(tables)
    options = tables.pop("option", {})
    taken: dict[str, str] = {}
    for name, option in options.items():
        where = f"option.{name}"
        choices = option.get("choice", {}) if isinstance(option, dict) else {}
        plain = {k: v for k, v in option.items() if k != "choice"} if choices else option
        checked = reader.table(where, plain, schema.OPTION)
        word = chosen.get(name, checked["default"])
        if word not in choices:
            hint = nearest(word, list(choices)) or f"; choose {', '.join(choices)}"
            raise UsageError(f"platform {path.stem}: {name} does not know {word!r}{hint}")
        taken[name] = word
        # Every choice is checked for keys that do not exist, also those that are not taken.
        for choice in choices.values():
            for key, value in choice.items():
                _replace(reader, tables, where, key, value, apply=choice is choices[word])
    for key, text in chosen.items():
        if key not in options:
            _set_plain(path, tables, list(options), key, text)
            taken[key] = text
    return tables, taken


def _copy(value: object) -> object:
    if isinstance(value, dict):
        return {k: _copy(v) for k, v in value.items()}
    return list(value) if isinstance(value, list) else value


def _replace(
    reader: Reader, tables: dict, where: str, key: str, value: object, apply: bool
) -> None:
    *folders, last = key.split(".")
    place = tables
    for folder in folders:
        if not isinstance(place.get(folder), dict):
            raise reader.fail(
                f"{where}: {key}", f"nothing is called so{nearest(folder, list(place))}"
            )
        place = place[folder]
    if apply:
        place[last] = value


def _set_plain(path: Path, tables: dict, options: Sequence[str], key: str, text: str) -> None:
    """`--platform-set stage.wire.rate=20`: a number in the unit of the file, or a word."""
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
        name = _join(prefix, key)
        if isinstance(value, dict) and "value" not in value:
            found += _keys_below(value, name)
        else:
            found.append(name)
    return found
