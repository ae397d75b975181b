"""Checks what a platform file says of collectives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onehop.nearest import nearest
from onehop.netsim import schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onehop.netsim import platform_file
    from onehop.netsim.platform import TransferPath

_SHORT = ("short_out", "short_in", "short_most")
_STAGING = ("staging", "staging_variant", "staging_block", "copy_out", "copy_in")


def collective(
    reader: platform_file.Reader,
    variant: str,
    table: dict,
    paths: Mapping[str, TransferPath],
    variants: list[str],
) -> dict[str, object]:
    where = f"collective.{variant}"
    found = reader.table(where, table, schema.COLLECTIVE)
    if variant not in variants:
        raise reader.fail(where, f"no protocol has this variant{nearest(variant, variants)}")
    for key, known, what in (
        ("copy_out", list(paths), "path"),
        ("copy_in", list(paths), "path"),
        ("short_out", list(paths), "path"),
        ("short_in", list(paths), "path"),
        ("staging_variant", variants, "variant"),
    ):
        word = found.get(key)
        if word is not None and word not in known:
            raise reader.fail(
                f"{where}.{key}", f"no {what} is called {word!r}{nearest(word, known)}"
            )
        needs = _SHORT if key in _SHORT else _STAGING
        if word is None and any(k in found for k in needs):
            what = "short copies need it" if key in _SHORT else "staging needs it"
            raise reader.fail(f"{where}.{key}", f"missing; {what}")
    return found


def algorithm(
    reader: platform_file.Reader,
    name: str,
    table: dict,
    variants: list[str],
    collectives: Mapping[str, Mapping[str, object]],
) -> dict[str, object]:
    where = f"algorithm.{name}"
    found = reader.table(where, table, schema.ALGORITHM)
    variant, staging = found["variant"], found.get("staging", "none")
    if variant not in variants:
        raise reader.fail(
            f"{where}.variant", f"no protocol has this variant{nearest(variant, variants)}"
        )
    is_tree = found["schedule"] in ("k-nomial", "binomial")
    for key in ("fan", "segment"):
        if key in found and not is_tree:
            raise reader.fail(f"{where}.{key}", f"changes nothing of {found['schedule']!r}")
    if staging != "none" and "copy_out" not in collectives.get(variant, {}):
        raise reader.fail(
            f"{where}.staging", f"collective.{variant} needs copy_out and copy_in for that"
        )
    if staging == "parts" and found["of"] not in ("broadcast", "allgather"):
        raise reader.fail(f"{where}.staging", f"parts of an {found['of']} are no result")
    return found
