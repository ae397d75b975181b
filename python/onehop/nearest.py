"""Finds the name that was probably meant."""

from collections.abc import Sequence
from difflib import SequenceMatcher


def nearest(word: str, known: Sequence[str]) -> str:
    """Returns '; did you mean --kappa?' or ''."""

    # Names are compared without the dashes, which would make all options alike; capitals decide
    # between those that are as near without them, as Gb/s and GB/s are to Gbps.
    def closeness(name: str) -> tuple[float, float]:
        one, other = word.lstrip("-"), name.lstrip("-")
        return _alike(one.lower(), other.lower()), _alike(one, other)

    best = max(known, key=closeness, default="")
    # Half of the letters alike is no likeness yet, but for a word that was cut short.
    is_cut = word.lstrip("-").lower().startswith(best.lstrip("-").lower())
    is_near = bool(best) and closeness(best)[0] > (0.49 if is_cut else 0.5)
    return f"; did you mean {best}?" if is_near else ""


def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()
