"""More is measured where a curve bends: sizes between those that a straight line does not join."""

import math
from collections.abc import Mapping

# A size is next to a bend when the line through its neighbours, both axes logarithmic, misses it by
# this much; neighbours closer than this ratio are not parted any more.
BEND = 0.10
CLOSEST = 1.2
_MULTIPLE = 8


def finer_sizes(curve: Mapping[int, float], most: int) -> list[int]:
    """Returns new sizes, multiples of 8 and at most `most` of them, on both sides of every bend of
    `curve` (size to time or rate), the sharpest bends first."""
    sizes = sorted(curve)
    bends = []
    for before, here, after in zip(sizes, sizes[1:], sizes[2:], strict=False):
        missed = _missed_by(curve, before, here, after)
        if missed > BEND:
            bends += [(missed, before, here), (missed, here, after)]
    found: list[int] = []
    for _, low, high in sorted(bends, key=lambda bend: (-bend[0], bend[1])):
        middle = round(math.sqrt(low * high) / _MULTIPLE) * _MULTIPLE
        is_apart = high / low > CLOSEST and low < middle < high
        if is_apart and middle not in found and len(found) < most:
            found.append(middle)
    return sorted(found)


def _missed_by(curve: Mapping[int, float], before: int, here: int, after: int) -> float:
    """Returns |log| of what was measured over what the neighbours' line says."""
    share = math.log(here / before) / math.log(after / before)
    line = (1 - share) * math.log(curve[before]) + share * math.log(curve[after])
    return abs(math.log(curve[here]) - line)
