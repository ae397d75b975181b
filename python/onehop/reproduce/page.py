"""`python -m onehop.reproduce.page [FILE]`: the page with every figure and its verdict."""

from __future__ import annotations

import sys
from pathlib import Path

from onehop import reproduce
from onehop.cli.reproduce import cells, summary

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
    parts.insert(2, summary(everything)[2:].capitalize() + ".")
    return "\n\n".join(parts) + "\n"


def _line(words: object) -> str:
    return "| " + " | ".join(words) + " |"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(page())
    else:
        sys.stdout.write(page())
