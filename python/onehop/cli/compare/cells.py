"""Compares two records of the same measurement, cell by cell, to find whether anything has
become slower."""

import dataclasses
from collections.abc import Iterable, Sequence

import numpy as np

from onehop import _core, virtual
from onehop._core import UsageError
from onehop.cli.bench.patterns import OF_OPERATORS
from onehop.cli.bench.record import kept_rounds
from onehop.counted import counted

LEVEL = 0.95
_DRAWS = 2000
_LEAST_BLOCKS = 6
_SEED = 20140601
_OF_THIS_MACHINE = ("host", "cpu_model", "system")
_OF_A_MACHINE = ("memory", "platform_set", "hosts", "schedule")
# A step is another one with other values of these options, on any machine.
_OF_A_STEP = ("memory", "messages", "pack", "check", "rows", "schedule", "order", "rotate")


@dataclasses.dataclass(frozen=True)
class Cell:
    """`ratio` of the new to the old time, with the interval that holds it with 95%; above 1 is
    slower, also where the value is a rate."""

    method: str
    faces: int | None
    size_bytes: float
    channels: float
    messages: int
    old: float
    new: float
    unit: str
    ratio: float
    low: float
    high: float
    blocks: tuple[int, int]
    verdict: str


def compare_records(old: dict, new: dict, tolerance: float) -> list[Cell]:
    """Compares the cells that both have; `tolerance` is a factor, as 1.1. Raises UsageError if
    none is common, the patterns differ, or the records have rates of operators."""
    for record, which in ((old, "old"), (new, "new")):
        if record.get("command") != "bench":
            raise UsageError(f"the {which} record is of {record.get('command')}, not of bench")
        if record.get("pattern") in OF_OPERATORS:
            raise UsageError(
                f"the {which} record is of bench {record['pattern']}, a rate of an operator, and "
                "only times of messages are compared; onehop report shows rates"
            )
    if old.get("pattern") != new.get("pattern"):
        raise UsageError(f"{old.get('pattern')} cannot be compared with {new.get('pattern')}")
    # Virtual time repeats itself, so that one block is all that there is to know.
    least = 1 if _is_virtual(old, new) else _LEAST_BLOCKS
    before = {_key(sample): sample for sample in old["samples"]}
    pairs = [(before[_key(s)], s) for s in new["samples"] if _key(s) in before]
    if not pairs:
        raise UsageError(
            "the two records have no cell in common; give records of the same sizes, faces, "
            "channels and messages"
        )
    return [_compare(*pair, tolerance, least) for pair in pairs]


def differences(old: dict, new: dict) -> list[str]:
    """Returns the differences that are not in the code; they make a verdict less certain."""
    found = []
    for name in ("transport", "ranks", "pinning"):
        if old.get(name) != new.get(name):
            found.append(f"{name} {old.get(name)} and {new.get(name)}")
    # What computes virtual time has no part in it, but the options of the machine have.
    modelled = _is_virtual(old, new)
    whose, names = ("option", _OF_A_MACHINE) if modelled else ("machine's", _OF_THIS_MACHINE)
    for name in names:
        one, other = (
            record.get("options" if modelled else "machine", {}).get(name) for record in (old, new)
        )
        if one != other:
            found.append(f"{whose} {name} {one!r} and {other!r}")
    found += _other_steps(old, new, _OF_A_MACHINE if modelled else ())
    if old.get("regime") != new.get("regime"):
        found.append(f"cores {old.get('regime')} and {new.get('regime')}")
    missing = len({_key(s) for s in old["samples"]} ^ {_key(s) for s in new["samples"]})
    if missing:
        be = "is" if missing == 1 else "are"
        found.append(f"{counted(missing, 'cell')} {be} in one record only")
    return found


def _other_steps(old: dict, new: dict, told: Sequence[str]) -> list[str]:
    """Returns the options of a step that differ, but for those that have been told; a record of an
    older version lacks some of them."""
    before, after = (record.get("options", {}) for record in (old, new))
    return [
        f"option {name} {before[name]!r} and {after[name]!r}"
        for name in _OF_A_STEP
        if name not in told and name in before and name in after and before[name] != after[name]
    ]


def _is_virtual(*records: dict) -> bool:
    return all(virtual.is_virtual(str(record.get("transport"))) for record in records)


def _key(sample: dict) -> tuple:
    names = ("method", "faces", "size_bytes", "channels")
    # Samples that state no number of messages, as those of older versions, count as of one.
    return (*(sample.get(name) for name in names), sample.get("messages") or 1)


def _compare(old: dict, new: dict, tolerance: float, least: int) -> Cell:
    before, after = _blocks(old), _blocks(new)
    ratio = float(np.median(after) / np.median(before))
    low, high = _interval(before, after)
    enough = min(len(before), len(after)) >= least
    return Cell(
        *_key(new),
        old["value"],
        new["value"],
        new["unit"],
        ratio,
        low,
        high,
        (len(before), len(after)),
        _core.verdict_on(low, high, tolerance) if enough else "AMBIGUOUS",
    )


def _blocks(sample: dict) -> np.ndarray:
    """Returns undisturbed blocks, where there are enough. Raises UsageError if there are
    none."""
    if not sample.get("raw"):
        raise UsageError(
            f"the sample of {sample['method']} with {sample['size_bytes']} bytes has no blocks to "
            "compare; give a record as onehop bench --json writes it, with raw and disturbed"
        )
    raw = np.array(sample["raw"], dtype=float)
    return raw[kept_rounds(sample["disturbed"][: len(raw)])]


def _interval(before: np.ndarray, after: np.ndarray) -> tuple[float, float]:
    """Returns the interval of the ratio of medians, by drawing blocks again; blocks of two runs are
    no pairs."""
    rng = np.random.default_rng(_SEED)
    medians = [
        np.median(rng.choice(blocks, (_DRAWS, len(blocks))), axis=1) for blocks in (after, before)
    ]
    low, high = np.quantile(medians[0] / medians[1], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def count_verdicts(cells: Iterable[Cell]) -> dict[str, int]:
    counts = dict.fromkeys(("SAME", "FAST", "SLOW", "AMBIGUOUS"), 0)
    for cell in cells:
        counts[cell.verdict] += 1
    return counts
