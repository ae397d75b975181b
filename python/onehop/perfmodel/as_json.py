"""Gives a fit as plain data for records."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from onehop.perfmodel.fit import Fit
from onehop.perfmodel.verdict import is_decided, verdict

if TYPE_CHECKING:
    from onehop.perfmodel.bootstrap import Interval
    from onehop.perfmodel.messages import Line
    from onehop.perfmodel.stages import Stage


def fit_as_json(fit: Fit) -> dict:
    """Returns the fit; docs/reference/record.md describes the keys."""
    return {
        "model": fit.model,
        "stages": [_stage(stage) for stage in fit.stages] or _as_stage(fit),
        "segments": [_line(line) for line in fit.lines],
        "latency_us": _number(fit.latency_us),
        "score": fit.score,
        "scores": fit.scores,
        "decided": is_decided(fit),
        "verdict": verdict(fit),
        "measured": fit.observations.name,
        "samples": _samples(fit),
    }


def _stage(stage: Stage) -> dict:
    found = {
        "lambda_us": _number(stage.lambda_us),
        "tau_us": _number(stage.tau_us),
        "beta_MBps": _number(stage.beta_MBps),
        "interval90": {name: _pair(interval) for name, interval in stage.intervals.items()},
        "undetermined": list(stage.undetermined),
        "points": stage.points,
        "cells": stage.cells,
    }
    if stage.combined is not None:
        found["lambda_plus_v_tau"] = {
            "channels": stage.combined.channels,
            "value_us": _number(stage.combined.value_us),
            "interval90": _pair(stage.combined.interval),
        }
    return found


def _as_stage(fit: Fit) -> list[dict]:
    """Returns Hockney's model as a stage without tau."""
    if fit.model != "hockney":
        return []
    line = fit.lines[0]
    return [
        {
            "lambda_us": _number(line.segment.fixed_us),
            "tau_us": 0.0,
            "beta_MBps": _number(line.rate_MBps),
            "interval90": {
                "lambda_us": _pair(line.fixed_us),
                "tau_us": [0.0, 0.0],
                "beta_MBps": _pair(line.beta_MBps),
            },
            "undetermined": [],
            "points": len(fit.observations),
            "cells": len(fit.observations),
        }
    ]


def _line(line: Line) -> dict:
    return {
        "least_bytes": line.segment.least_bytes,
        "most_bytes": line.segment.most_bytes,
        "fixed_us": _number(line.segment.fixed_us),
        "per_byte_us": _number(line.segment.per_byte_us),
        "beta_MBps": _number(line.rate_MBps),
        "interval90": {"fixed_us": _pair(line.fixed_us), "beta_MBps": _pair(line.beta_MBps)},
    }


def _samples(fit: Fit) -> list[dict]:
    data = fit.observations
    rows = zip(data.size_bytes, data.channels, data.time_us, fit.modelled_us, strict=True)
    return [
        {
            "size_bytes": float(size),
            "channels": float(channels),
            "time_us": float(time),
            "modelled_us": float(modelled),
        }
        for size, channels, time, modelled in rows
    ]


def _pair(interval: Interval) -> list[float | None]:
    """Returns a pair in which null stands for no bound."""
    return [_number(interval.low), _number(interval.high)]


def _number(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None
