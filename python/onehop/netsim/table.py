"""Tables of a platform file as classes, which say in one line what is wrong."""

import re
from collections.abc import Iterable
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from onehop.nearest import nearest


class Table(BaseModel):
    """A table, in which an unknown key is an error that names the nearest known one."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    _needed: ClassVar[str] = "a table is needed"
    # A class takes these keys of the file apart before its fields are read.
    _taken_apart: ClassVar[tuple[str, ...]] = ()

    @model_validator(mode="before")
    @classmethod
    def _check_keys(cls, given: object) -> object:
        if not isinstance(given, dict):
            raise ValueError(cls._needed)
        fields = [field.alias or name for name, field in cls.model_fields.items()]
        known = [*fields, *cls._taken_apart]
        for key, value in given.items():
            if key not in known:
                what = "table" if isinstance(value, dict) and "value" not in value else "key"
                hint = nearest(key, known) or f"; known are {', '.join(known)}"
                raise TableError(key, f"unknown {what}{hint}")
        return given


class Named(Table):
    """A table [folder.name], which gets its name from the folder."""

    name: ClassVar[str] = ""


def with_names(folder: dict[str, Named]) -> dict[str, Named]:
    """Tells each table its name; an AfterValidator of a folder."""
    for name, table in folder.items():
        # The name is not a field of the file, and is read as quickly as one.
        vars(table)["name"] = name
    return folder


class TableError(ValueError):
    """Raised for an error at a `key` of the table that is checked."""

    def __init__(self, key: str, what: str) -> None:
        super().__init__(what)
        self.key = key


def among(known: Iterable[str], word: str) -> str:
    """Returns the nearest of the known names, or all of them."""
    known = list(known)
    return nearest(word, known) or f"; choose {', '.join(known)}"


def dotted(keys: Iterable[object]) -> str:
    """Returns a key as a file has it: its first fabric, and what all axes of a wire share, have no
    name."""
    text = ".".join(map(str, keys)).removeprefix("fabric..")
    return text.replace("..", ".").strip(".")


def in_words(error: ValidationError) -> str:
    """Returns the first thing that is wrong, after its dotted key."""
    first = error.errors(include_url=False)[0]
    keys, kind = list(first["loc"]), first["type"]
    # The kind of a stage counts as a step on the way to its keys.
    if keys[:1] == ["stage"]:
        del keys[2:3]
    context = first.get("ctx", {})
    if kind == "literal_error":
        what = _not_among(first["input"], context["expected"])
    elif kind == "union_tag_not_found":
        keys.append("kind")
        what = "missing"
    elif kind == "union_tag_invalid":
        keys.append("kind")
        what = _not_among(context["tag"], context["expected_tags"])
    elif "error" in context:
        what = str(context["error"])
        keys.append(getattr(context["error"], "key", ""))
    else:
        what = _WORDS.get(kind, first["msg"])
    if kind == "missing" and len(keys) == 1:
        what += "; onehop platform new prints a file that has all that is needed"
    return f"{dotted(keys)}: {what}"


_WORDS = {
    "missing": "missing",
    "dict_type": "a table is needed",
    "list_type": "a list of stage names is needed",
    "string_type": "a word in quotes is needed",
}


def _not_among(word: object, expected: str) -> str:
    known = re.findall(r"'([^']*)'", expected)
    return f"does not know {word!r}{among(known, str(word))}"
