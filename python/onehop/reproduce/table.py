"""Results of experiments as cells of a table and in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onehop.reproduce.experiment import Result

HEADS = (
    "figure",
    "use",
    "published",
    "ours",
    "closed form",
    "unit",
    "error",
    "allowed",
    "verdict",
)


def cells(result: Result) -> tuple[str, ...]:
    """One for each of HEADS."""
    target, tolerance = result.target, result.target.tolerance
    relative = tolerance["kind"] == "relative"
    if tolerance["kind"] == "ordering":
        error = "-"
    else:
        error = f"{100 * result.error:+.1f} %" if relative else f"{result.error:+.4g}"
    return (
        target.id,
        f"{target.kind}, input" if target.input else target.kind,
        _short(target.published),
        _short(result.ours),
        _short(result.closed_form) if result.closed_form is not None else "",
        target.unit,
        error,
        _allowed(tolerance),
        result.verdict,
    )


def _short(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"


def _allowed(tolerance: dict) -> str:
    kind = tolerance["kind"]
    if kind == "ordering":
        return "same"
    if kind == "range":
        return f"{tolerance['low']:g} to {tolerance['high']:g}"
    return f"{100 * tolerance['value']:g} %" if kind == "relative" else f"{tolerance['value']:g}"


def missed(results: Sequence[Result], kind: str) -> list[Result]:
    return [r for r in results if r.verdict == "miss" and r.target.kind == kind]


def summary(results: Sequence[Result]) -> str:
    parts = []
    for kind in ("calibration", "validation"):
        judged = [r for r in results if r.target.kind == kind]
        if judged:
            good = len(judged) - len(missed(results, kind))
            parts.append(f"{kind} {good} of {len(judged)} within tolerance")
            read = sum(bool(r.target.input) for r in judged)
            if read:
                parts[-1] += f" ({read} of them read an input back)"
    return "# " + ", ".join(parts)
