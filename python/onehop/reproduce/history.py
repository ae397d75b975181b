"""Shows the scores of earlier states beside every later one."""

import dataclasses
from collections.abc import Sequence

from onehop.netsim import platform_file
from onehop.reproduce.experiment import Result, experiments, folder
from onehop.reproduce.table import counts

HEADS = ("score", "calibration", "validation", "inputs read back")


@dataclasses.dataclass(frozen=True)
class Score:
    """`calibration`, `validation` and `input` are [within tolerance, judged]; a blind score was
    taken before anybody had compared the model with validation figures."""

    name: str
    about: str
    calibration: tuple[int, int]
    validation: tuple[int, int]
    input: tuple[int, int]
    blind: bool = False

    def cells(self) -> tuple[str, ...]:
        pairs = (self.calibration, self.validation, self.input)
        return (self.name, *(f"{good} of {judged}" if judged else "-" for good, judged in pairs))


def scores() -> list[Score]:
    """Returns the scores, the earliest first."""
    table = platform_file.read(folder() / "scores.toml")
    return [Score(**score) for score in table["score"]]


def now(results: Sequence[Result]) -> Score:
    uses = ("calibration", "validation", "input")
    return Score("now", "", **{use: counts(results, use) for use in uses})


def beside(results: Sequence[Result]) -> str:
    """Returns the blind score in one line, for a score of all figures; empty for one of some."""
    blind = [score for score in scores() if score.blind]
    every = sum(len(experiment.targets) for experiment in experiments())
    if not blind or len(results) < every:
        return ""
    _, calibration, validation, inputs = blind[-1].cells()
    words = f"calibration {calibration}, validation {validation}, inputs read back {inputs}"
    return f"# blind score, before anything was changed with the misses in view: {words}"
