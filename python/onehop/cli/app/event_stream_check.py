"""Checks every run of `onehop app event-stream`."""

import math
from collections.abc import Sequence

from onehop import _apps

# Nine of ten events of the table have a ring, and a longer run fits the same rings again.
_RINGS = 0.9 * _apps.events_of_table
_DEVIATIONS = 5
_NAMES = ("x", "y", "radius")
# These shares of several rings in an event are found, and of others than there are, in the table; a
# run of fewer rings may have other shares by chance.
_FEWEST_RINGS, _LEAST_FOUND, _MOST_FALSE = 1000, 0.95, 0.01


def pulls(found: _apps.EventStreamReport) -> dict[str, dict[str, float]] | None:
    """Returns mean and width of the pulls of centre and radius, and how far each may be off."""
    count = found.fitted
    if count < 100:
        return None
    different = min(count, _RINGS)
    made: dict[str, dict[str, float]] = {
        "limit": {
            "mean": _DEVIATIONS / math.sqrt(different),
            "width": _DEVIATIONS / math.sqrt(2 * different),
        }
    }
    for name, total, square in zip(_NAMES, found.pulls, found.pull_squares, strict=True):
        mean = total / count
        made[name] = {"mean": mean, "width": math.sqrt(max(0.0, square / count - mean**2))}
    return made


def faults(sample: dict, found: _apps.EventStreamReport) -> list[str]:
    """Returns what is wrong with a run, one line for each fault; empty if nothing is wrong."""
    wire = sample["wire"]
    counts = {
        "are damaged": found.damaged,
        "came twice or out of order": found.out_of_order,
        "have other time stamps than their event": found.unlike,
        "came that were not sent": max(0, found.fragments_taken - found.fragments_sent),
    }
    lines = [f"{number} fragments over {wire} {what}" for what, number in counts.items() if number]
    if wire == "put" and sample["lost"]:
        lines.append(f"{sample['lost']} events over put are lost")
    if sample["events"] == 0:
        lines.append(f"no event happened over {wire}; give a longer --seconds")
    elif sample["decided"] == 0:
        lines.append(f"no event over {wire} was decided")
    return lines + _bad_rings(sample) + _bad_pulls(wire, sample["pulls"])


def _bad_rings(sample: dict) -> list[str]:
    """Returns what is wrong with the rings that were found, if events have several."""
    all_rings, wire = sample["true_rings"], sample["wire"]
    if all_rings < _FEWEST_RINGS:
        return []
    found, others = sample["found_rings"] / all_rings, sample["false_rings"] / all_rings
    lines = []
    if not found > _LEAST_FOUND:
        lines.append(f"{found:.3g} of the rings over {wire} are found, not {_LEAST_FOUND}")
    if not others < _MOST_FALSE:
        lines.append(f"{others:.3g} false rings for each true one are found over {wire}")
    return lines


def _bad_pulls(wire: str, of: dict | None) -> list[str]:
    if of is None:
        return []
    limit = of["limit"]
    lines = []
    for name in _NAMES:
        mean, width = of[name]["mean"], of[name]["width"]
        if not abs(mean) < limit["mean"]:
            lines.append(f"pulls of {name} over {wire} have a mean of {mean:.3g}, not 0")
        if not abs(width - 1) < limit["width"]:
            lines.append(f"pulls of {name} over {wire} have a width of {width:.4g}, not 1")
    return lines


def check(lines: Sequence[str]) -> dict:
    """Returns the record's check of all runs together."""
    return {
        "passed": not lines,
        "what": "kinds of fragments and events that are not as sent, and of pulls that are off",
        "value": len(lines),
        "limit": 0,
        "why": "; ".join(lines)
        or "every event arrived once, in order and whole, or is counted as lost over udp; fits "
        "have no bias and pulls of width 1",
    }
