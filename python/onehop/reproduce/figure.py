"""Draws published points beside ours; `python -m onehop.reproduce.figure FOLDER` draws all of
them."""

import sys
from pathlib import Path

from onehop.figures import new_figure, save, write_numbers_at
from onehop.reproduce.experiment import Experiment, experiments
from onehop.reproduce.session import Session


def draw(experiment: Experiment, path: Path) -> bool:
    """Draws an svg; returns False when the experiment has no curves."""
    if not experiment.curves:
        return False
    session = Session()
    session.begin(command for curve in experiment.curves for command in curve.commands())
    ours = {curve.name: curve.values(session) for curve in experiment.curves}
    panels, axes = new_figure(figsize=(6.4, 4.2))
    for number, curve in enumerate(experiment.curves):
        colour = f"C{number}"
        x, y = zip(*((p[0], p[1]) for p in curve.points), strict=True)
        axes.plot(x, y, "o", color=colour, markersize=4, label=f"{curve.name}, published")
        x, y = zip(*ours[curve.name], strict=True)
        axes.plot(x, y, "-", color=colour, linewidth=1.2, label=f"{curve.name}, ours")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    write_numbers_at(axes.yaxis)
    axes.set_xlabel(experiment.curves[0].x)
    axes.set_ylabel(experiment.curves[0].y)
    axes.set_title(experiment.title, fontsize=10)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    save(panels, path, text_stays_text=True)
    return True


if __name__ == "__main__":
    for each in experiments():
        draw(each, Path(sys.argv[1]) / each.name / "figure.svg")
