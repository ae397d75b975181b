"""Answers in a few lines what readers of the page ask first; each line is computed from records,
and is absent if they have no answer."""

from collections.abc import Callable

from onehop.counted import by_x, counted
from onehop.report.section import MEASURED, SCALING, SOLVES, Answer, Source, number
from onehop.roof import above
from onehop.time_split import PARTS, share

# More platforms than these are told by the section on scaling.
_MOST_PLATFORMS = 3
# What bounds an operator is known by these keys of a sample of bench dslash.
_ROOF = ("fraction_of_roofline", "roofline_gflops", "fma_peak_gflops")
_OUTCOMES = {
    "FAST": "is beaten in",
    "SAME": "is as fast in",
    "AMBIGUOUS": "cannot be told apart in",
    "SLOW": "is faster in",
}


def summary(sources: list[Source]) -> list[Answer]:
    """Returns the answers that the records hold."""
    return [answer for ask in _QUESTIONS if (answer := ask(sources)) is not None]


def _measured(sources: list[Source], pattern: str | None = None) -> list[Source]:
    """Returns records of a pattern, or of all, that passed their check in this machine's time."""
    return [
        source
        for source in sources
        if source.command == "bench"
        and pattern in (None, source.record["pattern"])
        and source.record.get("check", {}).get("passed")
        and not str(source.record.get("transport")).startswith("virtual")
    ]


def _halo(sources: list[Source]) -> Answer | None:
    """Tells the shortest and the longest halo with the fewest faces, by the fastest transport."""
    steps = [
        (sample["faces"], sample["size_bytes"], sample["value"], source.record)
        for source in _measured(sources, "halo")
        for sample in source.record["samples"]
        if sample["method"] == "onehop" and sample.get("faces") and sample["value"] > 0
    ]
    if not steps:
        return None
    faces = min(step[0] for step in steps)
    own = [step for step in steps if step[0] == faces]
    sizes = [step[1] for step in own]
    parts = []
    for size in dict.fromkeys((min(sizes), max(sizes))):
        _, _, time_us, record = min((s for s in own if s[1] == size), key=lambda step: step[2])
        rate = f"{number(faces * size / time_us / 1000, 3)} GB/s"
        where = f"{counted(record['ranks'], 'rank')}, {record['transport']}"
        parts.append(f"{size} bytes {number(time_us, 3)} us ({rate}; {where})")
    words = f"A step takes, for {faces} faces each of " + ", of ".join(parts) + "."
    return Answer("A halo", words, MEASURED)


def _mpi(sources: list[Source]) -> Answer | None:
    """Counts, over all comparisons with the fastest of what each MPI can do, how they ended."""
    counts: dict[str, dict[str, int]] = {}
    lost = []
    for source in _measured(sources):
        cells = source.record.get("comparison") or ()
        peers = {s["method"]: s.get("peer") for s in source.record["samples"]} if cells else {}
        for cell in cells:
            # What follows in brackets is with which settings it ran.
            peer = (peers.get(cell["best_peer"]) or "").partition(" (")[0]
            if not peer:
                continue
            own = counts.setdefault(peer, dict.fromkeys(_OUTCOMES, 0))
            own[cell["verdict"]] += 1
            if cell["verdict"] == "SLOW":
                lost.append((cell["ratio"], source.record["pattern"], cell["size_bytes"]))
    if not counts:
        return None
    words = "; ".join(f"{peer} {_outcome(own)}" for peer, own in sorted(counts.items()))
    if lost:
        ratio, pattern, size = max(lost)
        words += f"; onehop is worst in {pattern} of {size} bytes, with {ratio:.2f} times the time"
    return Answer("Other MPIs", f"By the fastest it can do for each size, {words}.", MEASURED)


def _outcome(counts: dict[str, int]) -> str:
    total = sum(counts.values())
    return ", ".join(f"{_OUTCOMES[key]} {n} of {total} cells" for key, n in counts.items() if n)


def _solver(sources: list[Source]) -> Answer | None:
    """Tells where the time of the longest solve went, and what bounds its operator."""
    own = [
        source.record
        for source in sources
        if source.command == "solve" and source.record.get("timing", {}).get("total_s")
    ]
    if not own:
        return None
    solve = max(own, key=lambda record: record["timing"]["total_s"])
    options = solve["options"]
    first, second = sorted(PARTS, key=lambda part: -share(solve["timing"], part))[:2]
    size = by_x(solve["lattice"])
    where = f"{counted(solve['ranks'], 'rank')} over {solve['transport']}"
    words = (
        f"{options['dslash']} {options['prec']} {options['solver']} on {size}, {where}, spends "
        f"{_percent(share(solve['timing'], first))} of its time in {PARTS[first]}, "
        f"{_percent(share(solve['timing'], second))} in {PARTS[second]}"
    )
    words += _operator_bound(sources, options["dslash"])
    return Answer("The solver", f"{words}.", SOLVES)


def _operator_bound(sources: list[Source], dslash: str) -> str:
    """Tells what bounds this operator, of the largest lattice that was measured."""
    rows = [
        sample
        for source in _measured(sources, "dslash")
        for sample in source.record["samples"]
        if sample.get("dslash") == dslash and all(sample.get(key) for key in _ROOF)
    ]
    if not rows:
        return ""
    row = max(rows, key=lambda sample: sample.get("size_bytes", 0))
    bound = "memory" if row["roofline_gflops"] < row["fma_peak_gflops"] else "arithmetic"
    size = by_x(row.get("lattice") or ())
    case = ", ".join(part for part in (row.get("prec"), size) if part)
    beyond = above(row["fraction_of_roofline"])
    return (
        f"; its operator is bound by {bound} and reaches {_percent(row['fraction_of_roofline'])} "
        "of what that allows" + (f" ({case})" if case else "") + (f", {beyond}" if beyond else "")
    )


def _percent(part: float) -> str:
    return f"{100 * part:.0f}%"


def _twice_as_large(sources: list[Source]) -> Answer | None:
    """Tells, of the first record of scale, the step to the most nodes from half of them."""
    own = [source.record for source in sources if source.command == "scale"]
    if not own:
        return None
    times: dict[str, dict[int, dict]] = {}
    for sample in own[0]["samples"]:
        times.setdefault(sample["platform"], {})[sample["nodes"]] = sample
    steps = []
    for platform, points in times.items():
        doubled = [nodes for nodes in points if nodes // 2 in points and nodes % 2 == 0]
        if doubled:
            steps.append((platform, points[max(doubled) // 2], points[max(doubled)]))
    if not steps:
        return None
    steps.sort(key=lambda step: step[2]["iteration_us"])
    size = by_x(own[0]["options"]["lattice"])
    parts = [_step(*step) for step in steps[:_MOST_PLATFORMS]]
    return Answer(
        "Twice the machine",
        f"An iteration on {size} is predicted to take " + "; ".join(parts) + ".",
        SCALING,
    )


def _step(platform: str, half: dict, whole: dict) -> str:
    ratio = whole["iteration_us"] / half["iteration_us"]
    return (
        f"{ratio:.2f} of its time on {whole['nodes']} instead of {half['nodes']} nodes of "
        f"{platform}, bound by {whole['bound_by']}"
    )


_QUESTIONS: tuple[Callable[[list[Source]], Answer | None], ...] = (
    _halo,
    _mpi,
    _solver,
    _twice_as_large,
)
