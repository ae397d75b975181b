"""Holds the outcome of a simulated workload, and shows a table of what limited it."""

from typing import NamedTuple

from onehop import _core
from onehop.text_table import aligned

_STAGE_HEADS = ("stage", "served", "busy", "mean wait", "longest wait")
_LINK_HEADS = ("hottest links", "packets", "busy", "mean wait", "deepest queue")


class Outcome(NamedTuple):
    """`own` has the workload's own keys of the record, `accounts` say what was busy in the
    `total_ps`."""

    own: dict
    accounts: _core.VirtualAccounts
    total_ps: int


def show_load(record: dict) -> None:
    """Shows stages and the hottest links, each with how long it was busy and waited for."""
    stages = [
        (
            *(stage["name"], stage["served"], f"{stage['share']:.1%}"),
            *(f"{stage[f'{which}_wait_us']:.2f} us" for which in ("mean", "longest")),
        )
        for stage in record["stages"]
    ]
    links = [
        (
            *(f"{link['from']} to {link['to']}", link["packets"], f"{link['share']:.1%}"),
            *(f"{link['mean_wait_us']:.2f} us", link["deepest_queue"]),
        )
        for link in record["hottest_links"][:5]
    ]
    links.append(("mean of all links", "", f"{record['mean_link_share']:.1%}", "", ""))
    for rows, heads in ((stages, _STAGE_HEADS), (links, _LINK_HEADS)):
        if rows:
            print(f"\n{aligned(rows, heads, left=1, indent=2)}")
