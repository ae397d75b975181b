"""Finds numbers of a platform that are implausible for their kind, mostly by a wrong unit."""

from collections.abc import Iterator

from onehop import output
from onehop.netsim import stage_cost
from onehop.netsim.platform import Platform
from onehop.netsim.quantity import Quantity

_NS, _US = 1e3, 1e6
_GB = 1e9
# These are the least and most of what machines from 2005 on have, by the table that a number stands
# in and by the last word of its key; in ps, bytes/s, flop/s. Zero is always a choice. What a code
# reaches that reads single words all over the memory is a rate of the memory too.
_USUAL = {
    ("wire", "latency"): (1 * _NS, 10 * _US),
    ("wire", "router"): (1 * _NS, 5 * _US),
    ("wire", "rate"): (0.01 * _GB, 2000 * _GB),
    ("stage", "rate"): (0.01 * _GB, 20000 * _GB),
    ("stage", "head"): (1 * _NS, 50 * _US),
    ("stage", "gap"): (1 * _NS, 50 * _US),
    ("stage", "cost"): (1 * _NS, 200 * _US),
    ("stage", "write"): (1 * _NS, 200 * _US),
    ("stage", "poll"): (1 * _NS, 50 * _US),
    ("stage", "hit"): (1 * _NS, 50 * _US),
    ("stage", "miss"): (1 * _NS, 500 * _US),
    ("stage", "setup"): (1 * _NS, 200 * _US),
    ("stage", "launch"): (100 * _NS, 500 * _US),
    ("host", "memory"): (0.5 * _GB, 5000 * _GB),
    ("host", "flops"): (1 * _GB, 1e6 * _GB),
    ("gpu", "launch"): (100 * _NS, 500 * _US),
    ("gpu", "memory"): (0.5 * _GB, 50000 * _GB),
    ("gpu", "flops"): (10 * _GB, 1e7 * _GB),
}
_WORDS = {"wire": "a cable", "stage": "a stage", "host": "a host", "gpu": "a GPU"}


def advice(platform: Platform) -> list[str]:
    """Returns one line for each implausible number; none for machines as they are built."""
    return [*_unusual(platform), *_held_up(platform), *_late(platform)]


def warn_of_own(platform: Platform) -> None:
    """Warns of unusual numbers of a machine of the user's, or of numbers that were changed."""
    for words in advice(platform) if platform.is_own else ():
        output.warn(words)


def _unusual(platform: Platform) -> Iterator[str]:
    numbers = dict(platform.numbers())
    for key, number in numbers.items():
        words = key.replace("fabric.", "").split(".")
        # A wire without latency stands for one whose time is in the stages, as of onehop fit.
        if words[-2:] == ["wire", "rate"] and numbers.get(key.replace(".rate", ".latency")) == 0:
            continue
        table = next((word for word in words if word in _WORDS), "")
        least, most = _USUAL.get((table, words[-1]), (0, float("inf")))
        if number and not least <= number <= most:
            size = "small" if number < least else "large"
            yield (
                f"{key} of {number} is unusually {size} for {_WORDS[table]}, by a factor of"
                f" {_factor(number, least, most):.4g}; is the unit right?"
            )


def _factor(number: Quantity, least: float, most: float) -> float:
    return least / number if number < least else number / most


def _held_up(platform: Platform) -> Iterator[str]:
    """Returns links whose credits are used up before the first of them can come back."""
    for name, fabric in platform.fabrics.items():
        wire = fabric.wire()
        away = 2 * (wire.latency + wire.router) + wire.packet / wire.rate * 1e12
        reached = wire.credits * wire.packet / away * 1e12
        if reached < wire.efficiency * wire.rate:
            where = f"fabric.{name}." if name else ""
            yield (
                f"{where}wire.credits of {wire.credits} let a link carry {reached / 1e9:.3g} GB/s "
                f"of its {wire.efficiency * wire.rate / 1e9:.3g}, because a credit takes "
                f"{away / 1e6:.3g} us to come back; did you mean more credits, or longer packets?"
            )


def _late(platform: Platform) -> Iterator[str]:
    """Returns engines whose first data come so late that the simulation reads more slowly."""
    most = stage_cost.MOST_HELD - stage_cost.HELD
    paths = platform.paths.values()
    for name, fabric in sorted({(name, path.fabric) for path in paths for name in path.origin}):
        packet = int(platform.fabrics[fabric].wire().packet)
        ahead = stage_cost.packets_ahead(platform.stages[name], packet)
        if ahead > most:
            yield (
                f"stage.{name}.head makes the engine ask for {ahead} packets before its first "
                f"data come, but the simulation holds only {most}, so that it reads more slowly; "
                "did you mean a shorter head, or longer packets?"
            )
