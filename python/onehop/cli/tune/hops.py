"""`onehop tune dslash` finds the fastest way to do hops of one kind, lattice and number of
threads."""

import statistics
import time
from collections.abc import Sequence

from onehop import _bench, _core, tuning
from onehop._core import UsageError
from onehop.cli._shared import rank_grid
from onehop.cli._shared.option import Options
from onehop.cli._shared.record import deliver
from onehop.cli._shared.solving import operator_of
from onehop.engine import STAGGERED
from onehop.record import new_record
from onehop.text_table import aligned

# Only this takes these options, which have these defaults.
OPTIONS = {"dslash": "wilson", "prec": "single", "recon": 18, "threads": 1}
_LATTICE = (16, 16, 16, 16)
# This many right-hand sides are solved together where nothing was tuned.
_USUAL = 4
# These ways of doing one thing are tried beside that by size, in this order.
_WAYS = (
    ("1x1x1", "1x2x1", "1x4x1", "2x2x1", "2x4x1", "4x4x1"),
    ("write:kept", "write:past"),
    ("ahead:direction", "ahead:vector"),
)
# Only some hops can do so: see hop_choice.
_WAYS_OF_LINKS = ("links:twice", "links:once")
_ROUNDS = 15
_BLOCK_S = 4e-3
# A way is replaced by one that is faster by more than this, as sure as intervals of 95% are.
_WORTH = 1.03


def check(options: Options) -> None:
    """Refuses options that contradict each other, and fills in the defaults."""
    if options.device != "host":
        raise UsageError(f"--device {options.device} tunes a device; leave out dslash")
    for name, default in OPTIONS.items():
        if getattr(options, name) is None:
            setattr(options, name, default)
    options.lattice = options.lattice or list(_LATTICE)
    options.grid = None
    operator = operator_of(options, 1.0)
    _core.SolveOptions(recon=options.recon).check(operator)
    rank_grid.choose_grid(options, options.lattice, operator.reach)


def on_rank(context: _core.Context, options: Options) -> int:
    started = time.monotonic()
    record = new_record("tune", options)
    found = [_tuned(context, options, rhs, record["samples"]) for rhs in _numbers(options)]
    together = _best_together(found, record["samples"])
    right = all(one["same_bits"] for one in found)
    ways = {str(one["rhs"]): one["words"] for one in found}
    record |= {"hop": found[0]["tuner"].name, "ways": ways, "together": together}
    record["check"] = {
        "passed": right,
        "why": "no way changes a bit of a result" if right else "a way gave other bits",
    }
    record["timing"] = {"total_s": time.monotonic() - started}
    if context.rank != 0:
        return 0
    if right:
        record["file"] = str(tuning.save_hop(record["hop"], ways, together))
    return deliver(record, options, _show)


def _numbers(options: Options) -> tuple[int, ...]:
    """Returns the numbers of right-hand sides, of all that a propagator has."""
    return (1, 3) if options.dslash in STAGGERED else (1, 3, _USUAL, 6, 12)


def _ways(options: Options, rhs: int) -> tuple[tuple[str, ...], ...]:
    reads_once = options.recon == 18 and rhs == 1
    return (*_WAYS, _WAYS_OF_LINKS) if reads_once else _WAYS


def _tuned(context: _core.Context, options: Options, rhs: int, samples: list[dict]) -> dict:
    """Tunes each thing in turn, given what was found of those before."""
    operator = operator_of(options, 1.0)
    grid = _core.choose_grid(options.lattice, context.size, operator.reach)
    geometry = _core.Geometry(context, options.lattice, grid)
    how = {name: getattr(options, name) for name in ("prec", "recon", "threads")}
    cell = _bench.OperatorCell(operator, _core.SolveOptions(rhs=rhs, **how))
    cell.first_core = context.rank * options.threads
    tuner = _bench.HopTuner(geometry, cell)
    count = max(2, int(_BLOCK_S / tuner.seconds("", 2)))
    words, right = "", True
    for ways in _ways(options, rhs):
        wider = [_joined(words, way) for way in ways]
        right = right and all(tuner.same_bits(way) for way in wider)
        times = _interleaved([tuner] * (1 + len(wider)), [words, *wider], count)
        samples += _samples(rhs, [words, *wider], times)
        best = min(range(len(wider)), key=lambda k: statistics.median(times[k + 1]))
        # The times by which the best was picked flatter it, so it is timed again.
        again = _interleaved([tuner] * 2, [words, wider[best]], count)
        if _is_faster(again[1], again[0]):
            words = wider[best]
    return {"rhs": rhs, "tuner": tuner, "words": words, "count": count, "same_bits": right}


def _joined(words: str, way: str) -> str:
    way = way if ":" in way else f"order:{way}"
    return f"{words},{way}" if words else way


def _interleaved(
    tuners: Sequence[_bench.HopTuner], words: Sequence[str], count: int
) -> list[list[float]]:
    """Returns the seconds of a hop, round by round, for each way."""
    times: list[list[float]] = [[] for _ in words]
    for number in range(_ROUNDS):
        # No way is always the first, or always behind the same one.
        for k in range(len(words)):
            place = (k + number) % len(words) if number % 2 else (number - k) % len(words)
            times[place].append(tuners[place].seconds(words[place], count))
    return times


def _is_faster(ours: Sequence[float], theirs: Sequence[float]) -> bool:
    return _core.compare_pairs(list(ours), list(theirs), _WORTH).verdict == "FAST"


def _samples(rhs: int, words: Sequence[str], times: Sequence[Sequence[float]]) -> list[dict]:
    return [
        {
            "rhs": rhs,
            "way": one or "by size",
            "value": 1e6 * statistics.median(seconds) / rhs,
            "unit": "us",
            "raw": [1e6 * each / rhs for each in seconds],
        }
        for one, seconds in zip(words, times, strict=True)
    ]


def _best_together(found: Sequence[dict], samples: list[dict]) -> int:
    """Returns how many sources are best solved together, each number in its own best way; the
    usual number if none is faster."""
    usual = min(_USUAL, found[-1]["rhs"])
    count = max(2, min(one["count"] for one in found))
    tuners, words = [one["tuner"] for one in found], [one["words"] for one in found]
    times = [
        [seconds / one["rhs"] for seconds in each]
        for one, each in zip(found, _interleaved(tuners, words, count), strict=True)
    ]
    numbers = [one["rhs"] for one in found]
    for rhs, one, each in zip(numbers, words, times, strict=True):
        samples += _samples(rhs, [one], [[rhs * seconds for seconds in each]])
    best = min(range(len(found)), key=lambda k: statistics.median(times[k]))
    return numbers[best] if _is_faster(times[best], times[numbers.index(usual)]) else usual


def _show(record: dict) -> None:
    print(f"# {record['hop']}, us a hop and right-hand side")
    rows = [(f"rhs {s['rhs']}", s["way"], f"{s['value']:.2f}") for s in record["samples"]]
    print(aligned(rows, left=2))
    for rhs, words in record["ways"].items():
        print(f"# rhs {rhs:2}: {words or 'by size, as without tuning'}")
    print(f"# sources together: {record['together']}")
    where = f"kept in {record['file']}" if "file" in record else record["check"]["why"]
    print(f"# {where}")
