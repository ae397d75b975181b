"""Compares published figures with those that commands of onehop give on the machines of the
platform files."""

from onehop.reproduce.experiment import Experiment, Result, experiments, run
from onehop.reproduce.session import Session

__all__ = ["Experiment", "Result", "Session", "experiments", "run"]
