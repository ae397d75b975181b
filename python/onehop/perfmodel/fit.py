"""Fits models to observations, for `onehop fit` and reports."""

import dataclasses

import numpy as np

from onehop._core import UsageError
from onehop.perfmodel import crossval, segments, staged
from onehop.perfmodel.messages import Line, fit_hockney, fit_pieces, fit_plogp
from onehop.perfmodel.observations import Observations
from onehop.perfmodel.stages import Stage, fit_stages, times_of

_MOST_POINTS = 2000


@dataclasses.dataclass(frozen=True)
class Fit:
    """`score`: root mean square of log(measured / predicted) by cross-validation; 0.02 is 2%.
    `scores` holds every model that was tried. `latency_us` is PLogP's L, where it is known."""

    model: str
    observations: Observations
    modelled_us: np.ndarray
    score: float
    scores: dict[str, float]
    rival: str | None
    stages: tuple[Stage, ...] = ()
    lines: tuple[Line, ...] = ()
    latency_us: float | None = None

    @property
    def residuals(self) -> np.ndarray:
        """Returns measured / modelled - 1."""
        return self.observations.time_us / self.modelled_us - 1

    def times(self, size_bytes: np.ndarray, channels: np.ndarray | float = 1.0) -> np.ndarray:
        """Returns what the model says, in us."""
        size_bytes, channels = np.broadcast_arrays(
            np.asarray(size_bytes, float), np.asarray(channels, float)
        )
        if self.stages:
            return times_of(self.stages, size_bytes, channels)
        return segments.evaluate([line.segment for line in self.lines], size_bytes * channels)


def fit(
    observations: Observations,
    model: str = "auto",
    stages: int | None = None,
    streaming: Observations | None = None,
) -> Fit:
    """Fits models; `stages` fixes the number of stages, and `streaming` are times per message where
    messages follow each other, which PLogP needs to tell L from g. Deterministic. Raises
    UsageError."""
    data = observations.sorted().condensed(_MOST_POINTS)
    cells = len(np.unique(np.column_stack([data.size_bytes, data.channels]), axis=0))
    if cells < 3:
        raise UsageError(
            f"{cells} different sizes were measured; a fit needs at least 3, and 8 to estimate its "
            "own error"
        )
    if not data.size_bytes.any():
        raise UsageError(
            "all messages that were measured have 0 bytes; measure longer ones, which a fit needs"
        )
    parts = crossval.folds(data.size_bytes, data.channels)
    scored = _scores(data, model, parts, stages)
    chosen, rival = crossval.choose(list(scored.values()))
    name = next(key for key, score in scored.items() if score is chosen)
    return _finish(data, model, name, scored, rival, streaming)


def _scores(
    data: Observations, model: str, parts: np.ndarray, stages: int | None
) -> dict[str, crossval.Score]:
    """Scores every candidate, simple ones first; the keys are what _finish takes."""
    found: dict[str, crossval.Score] = {}
    if model in ("auto", "hockney"):
        found["hockney"] = _score_pieces(data, parts, 1, "hockney")[0]
    if model in ("auto", "stages"):
        found |= _score_staged(data, parts, stages, least=2 if model == "auto" else 1)
    if model in ("auto", "loggp", "plogp"):
        kind = "plogp" if model == "plogp" else "loggp"
        scores = _score_pieces(data, parts, segments.MOST, kind)
        least = 2 if model == "auto" else 1
        found |= {f"{kind}:{k}": s for k, s in enumerate(scores, 1) if k >= least}
    return found


def _score_staged(
    data: Observations, parts: np.ndarray, stages: int | None, least: int
) -> dict[str, crossval.Score]:
    design = staged.design_matrix(data.size_bytes, data.channels)
    if stages is not None:
        if staged.fit_planes(design, data.time_us, stages) is None:
            raise UsageError(
                f"{len(data)} points cannot carry {stages} stages; measure more sizes, or on "
                "several --channels"
            )
        return {f"stages:{stages}": crossval.score_stages(design, data.time_us, stages, parts)}
    scores = crossval.score_stage_counts(design, data.time_us, parts)
    one_size = len(np.unique(data.channels)) == 1
    first = least if one_size else 1
    return {f"stages:{k}": s for k, s in enumerate(scores, 1) if k >= first}


def _score_pieces(
    data: Observations, parts: np.ndarray, most: int, name: str
) -> list[crossval.Score]:
    """Scores 1, 2, ... segments."""
    volume, times = data.size_bytes * data.channels, data.time_us

    def foretell(inside: np.ndarray, outside: np.ndarray) -> list[np.ndarray]:
        cuts = segments.fit_segments(volume[inside], times[inside], most)
        return [segments.evaluate(cut, volume[outside]) for cut in cuts]

    count = len(segments.fit_segments(volume, times, most))
    names = [segments.title(name, k) for k in range(1, count + 1)]
    return crossval.score_by(names, foretell, times, parts)


def _finish(
    data: Observations,
    model: str,
    name: str,
    scored: dict[str, crossval.Score],
    rival: crossval.Score | None,
    streaming: Observations | None,
) -> Fit:
    kind, _, count = name.partition(":")
    common = {
        "observations": data,
        "score": scored[name].mean,
        "scores": {score.name: score.mean for score in scored.values()},
        "rival": rival.name if rival else None,
    }
    if kind == "stages":
        found = fit_stages(data, int(count))
        while len(found) > 1 and any(stage.points == 0 for stage in found):
            # The times below 0 were all that the extra stage had.
            found = fit_stages(data, len(found) - 1)
        times = times_of(found, data.size_bytes, data.channels)
        return Fit("stages", modelled_us=times, stages=found, **common)
    volume = data.size_bytes * data.channels
    latency = None
    if kind == "hockney":
        lines = fit_hockney(volume, data.time_us)
    elif kind == "plogp" and streaming is not None:
        lines, latency = fit_plogp(volume, data.time_us, streaming, int(count))
    else:
        lines = fit_pieces(volume, data.time_us, int(count))
    times = segments.evaluate([line.segment for line in lines], volume)
    return Fit(kind, modelled_us=times, lines=lines, latency_us=latency, **common)
