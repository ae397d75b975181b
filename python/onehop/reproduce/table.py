"""Formats results of experiments as cells of a table and in one line."""

from collections.abc import Sequence

from onehop.reproduce.experiment import MISSING, Result

HEADS = ("figure", "use", "published", "ours", "unit", "error", "allowed", "verdict")
# These verdicts count against a score.
_FAULTS = ("miss", MISSING)


def cells(result: Result) -> tuple[str, ...]:
    """Returns one cell for each of HEADS."""
    target, tolerance = result.target, result.target.tolerance
    use = target.kind + (", input" if target.input else "")
    return (
        target.id,
        use + (", low weight" if target.weight == "low" else ""),
        short(target.published),
        "-" if result.ours is None else short(result.ours),
        target.unit,
        _error(result),
        _allowed(tolerance),
        result.verdict,
    )


def _error(result: Result) -> str:
    kind = result.target.tolerance["kind"]
    if result.ours is None:
        return "-"
    if kind in ("ordering", "relative"):
        return f"{100 * result.error:+.1f} %"
    return f"{result.error:+.4g}"


def short(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"


def _allowed(tolerance: dict) -> str:
    kind = tolerance["kind"]
    if kind == "ordering":
        return f"above 1 by {100 * tolerance['margin']:g} %" if "margin" in tolerance else "above 1"
    if kind == "range":
        return f"{tolerance['low']:g} to {tolerance['high']:g}"
    return f"{100 * tolerance['value']:g} %" if kind == "relative" else f"{tolerance['value']:g}"


def missed(results: Sequence[Result], kind: str) -> list[Result]:
    """Returns all that count against the score, but inputs."""
    return [r for r in results if r.verdict in _FAULTS and _is(r, kind)]


def _is(result: Result, use: str) -> bool:
    """Returns whether a result counts for `use`: "calibration", "validation", or "input" for what
    is read back, of either kind."""
    if result.target.input:
        return use == "input"
    return result.target.kind == use


def counts(results: Sequence[Result], use: str) -> tuple[int, int]:
    """Returns how many are within tolerance, of how many that are judged: a tie is not, and what is
    not built is missed."""
    judged = [r for r in results if _is(r, use) and r.verdict != "tie"]
    return sum(r.verdict == "ok" for r in judged), len(judged)


def summary(results: Sequence[Result]) -> str:
    parts = []
    for use in ("calibration", "validation"):
        good, judged = counts(results, use)
        if not judged:
            continue
        part = f"{use} {good} of {judged} within tolerance"
        missing = sum(r.verdict == MISSING for r in missed(results, use))
        parts.append(part + (f" ({missing} not built)" if missing else ""))
    good, judged = counts(results, "input")
    if judged:
        parts.append(f"inputs read back {good} of {judged}")
    ties = sum(r.verdict == "tie" for r in results)
    if ties:
        parts.append(f"{ties} without a verdict")
    return "# " + ", ".join(parts)
