"""`python -m onehop.reproduce.page [FILE]` writes the page with every figure, its command and its
verdict."""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

from onehop import reproduce
from onehop.reproduce import history
from onehop.reproduce.experiment import Experiment, Result, Target, compare
from onehop.reproduce.table import HEADS, cells, summary

_HEADS = (HEADS[0], "what", *HEADS[1:])
_COLUMNS = 96


def page(given: Mapping[str, float] | None = None) -> str:
    """Returns the page as Markdown. `given` has values to use instead of computing them: by the
    id of a figure, or by the name of another reading and the id, with a comma between."""
    given = given or {}
    session = reproduce.Session()
    known = reproduce.experiments()
    session.begin(_commands_of(known, given))
    everything = [(each, reproduce.run(each, session, given)) for each in known]
    results = [result for _, some in everything for result in some]
    parts = [
        "# Published figures and ours",
        "Written by `make docs` from `onehop reproduce`; edit `experiments/` and `platforms/`."
        " `onehop reproduce FIGURE --show` runs the commands of a figure. What the words mean, and"
        " what is behind a miss, stands in"
        " [machines as data](../explanation/machines_as_data.md).",
        summary(results)[2:].capitalize() + ".",
        _scores(results),
        *(_section(experiment, some) for experiment, some in everything),
        _readings(session, given),
        _curves(session),
    ]
    return "\n\n".join(parts) + "\n"


def _commands_of(known: Sequence[Experiment], given: Mapping[str, float]) -> Iterator[str]:
    for experiment in known:
        yield from (c for t in experiment.targets if t.id not in given for c in t.run.values())
        yield from (c for curve in experiment.curves for c in curve.commands())
        for reading, target in experiment.read():
            if f"{reading.name},{target.id}" not in given:
                yield from target.run.values()


def _scores(results: list[Result]) -> str:
    lines = [_line((*history.HEADS, "when")), _line(["---"] * 5)]
    for score in (*history.scores(), history.now(results)):
        lines.append(_line((*score.cells(), score.about)))
    return "\n".join(lines)


def _section(experiment: reproduce.Experiment, results: list[Result]) -> str:
    link = f"../../experiments/{experiment.name}/README.md"
    lines = [f"## {experiment.title}", "", f"[`experiments/{experiment.name}`]({link})", ""]
    lines += [_line(_HEADS), _line(["---"] * len(_HEADS))]
    for result in results:
        first, *rest = cells(result)
        lines.append(_line((first, result.target.what, *rest)))
    lines += ["", "```console"]
    for result in results:
        lines += _commands(result.target)
    return "\n".join([*lines, "```"])


def _commands(target: Target) -> list[str]:
    if target.missing:
        return [f"# {target.id}: not built: {target.missing}"]
    if not target.run:
        return [f"# {target.id}", *(f"$ {_typed(command)}" for command in target.commands())]
    head = f"# {target.id}: {target.ours}"
    return [head, *(f"$ {_typed(command)}  # {name}" for name, command in target.run.items())]


def _typed(command: str) -> str:
    """Returns a command on lines that a page can show, which a shell takes for one."""
    first, *options = re.split(" (?=--)", command)
    lines = [first]
    for option in options:
        if len(lines[-1]) + len(option) < _COLUMNS:
            lines[-1] += f" {option}"
        else:
            lines.append(f"    {option}")
    return " \\\n".join(lines)


def _readings(session: reproduce.Session, given: Mapping[str, float]) -> str:
    """Returns our values if the source were read another way."""
    lines = [_line(("reading", "figure", "published", "ours", "verdict")), _line(["---"] * 5)]
    for experiment in reproduce.experiments():
        for reading, target in experiment.read():
            key = f"{reading.name},{target.id}"
            ours = given[key] if key in given else target.value(session)
            _, _, published, ours, *_, verdict = cells(compare(target, ours))
            lines.append(_line((reading.name, target.id, published, ours, verdict)))
    return (
        "## Other readings of the sources\n\nNot counted above; fitted numbers are as there.\n\n"
        + "\n".join(lines)
    )


def _curves(session: reproduce.Session) -> str:
    """Returns how far whole curves are from ours, including points that no target covers."""
    heads = ("experiment", "curve", "points", "median error", "largest error", "where")
    lines = [_line(heads), _line(["---"] * len(heads))]
    for experiment in reproduce.experiments():
        for curve in experiment.curves:
            errors = [
                (mine / point[1] - 1, f"{point[0]:g} {curve.x}")
                for point, (_, mine) in zip(curve.points, curve.values(session), strict=True)
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
