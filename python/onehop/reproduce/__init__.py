"""Published figures against the machines of the platform files."""

from onehop.reproduce.experiment import Experiment, Laboratory, Result, experiments, run

__all__ = ["Experiment", "Laboratory", "Result", "experiments", "run"]
