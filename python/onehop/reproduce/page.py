"""`python -m onehop.reproduce.page [FILE]`: the page with every figure and its verdict."""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

from onehop import reproduce
from onehop.reproduce.experiment import compare
from onehop.reproduce.table import cells, summary

_HEADS = ("figure", "what", "use", "published", "ours", "closed form")
_HEADS += ("unit", "error", "allowed", "verdict")


def page() -> str:
    """Markdown."""
    parts = [
        "# Published figures and ours",
        "Written by `make docs` from `onehop reproduce`; edit `experiments/` and `platforms/`. What"
        " the words mean, and what is behind a miss, stands in"
        " [machines as data](../explanation/machines_as_data.md).",
    ]
    everything = []
    for experiment in reproduce.experiments():
        results = reproduce.run(experiment)
        everything += results
        link = f"../../experiments/{experiment.name}/README.md"
        lines = [f"## {experiment.title}", "", f"[`experiments/{experiment.name}`]({link})", ""]
        lines += [_line(_HEADS), _line(["---"] * len(_HEADS))]
        for result in results:
            first, *rest = cells(result)
            lines.append(_line((first, result.target.what, *rest)))
        parts.append("\n".join(lines))
    parts += [_readings(), _curves()]
    parts.insert(2, summary(everything)[2:].capitalize() + ".")
    return "\n\n".join(parts) + "\n"


def _readings() -> str:
    """What ours would be if the source were read another way."""
    laboratory = reproduce.Laboratory()
    lines = [_line(("reading", "figure", "published", "ours", "verdict")), _line(["---"] * 5)]
    for experiment in reproduce.experiments():
        known = {target.id: target for target in experiment.targets}
        for reading, values in experiment.readings(laboratory).items():
            for name, value in values.items():
                if known[name].kind == "validation" and not known[name].input:
                    _, _, published, ours, *_, verdict = cells(compare(known[name], value))
                    lines.append(_line((reading, name, published, ours, verdict)))
    return (
        "## Other readings of the sources\n\nNot counted above; fitted numbers are as there.\n\n"
        + "\n".join(lines)
    )


def _curves() -> str:
    """How far whole curves are from ours, with what no target asks for included."""
    heads = ("experiment", "curve", "points", "median error", "largest error", "where")
    lines = [_line(heads), _line(["---"] * len(heads))]
    for experiment in reproduce.experiments():
        if not experiment.curves:
            continue
        ours = experiment.points(reproduce.Laboratory())
        for curve in experiment.curves:
            errors = [
                (mine / point[1] - 1, f"{point[0]:g} {curve.x}")
                for point, (_, mine) in zip(curve.points, ours[curve.name], strict=True)
            ]
            largest, where = max(errors, key=lambda one: abs(one[0]))
            typical = median(abs(error) for error, _ in errors)
            lines.append(
                _line(
                    (experiment.name, curve.name, str(len(errors)))
                    + (f"{100 * typical:.0f} %", f"{100 * largest:+.0f} %", where)
                )
            )
    return "## Whole curves\n\n" + "\n".join(lines)


def _line(words: object) -> str:
    return "| " + " | ".join(words) + " |"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(page())
    else:
        sys.stdout.write(page())
