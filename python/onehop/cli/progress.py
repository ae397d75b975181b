"""A residual that falls: a bar on a terminal, sparse lines with --verbose, else nothing."""

from __future__ import annotations

import math
import sys
import time
from typing import TYPE_CHECKING

from onehop.engine import STAGGERED
from onehop.source import as_source

if TYPE_CHECKING:
    import types

_LINE_EVERY_S = 1.0


class Progress:
    """Used as a context; `update` after every iteration. Only rank 0 shows anything. `together`
    sources at most are solved at a time."""

    def __init__(self, options: types.SimpleNamespace, together: int, show: bool) -> None:
        self._tol = options.tol
        self._sources = as_source(options.source).count(3 if options.dslash in STAGGERED else 12)
        self._together = min(self._sources, together)
        self._on_terminal = show and sys.stderr.isatty()
        self._in_lines = show and options.verbose and not self._on_terminal
        self._last_shown = 0.0
        self._bar = None

    @property
    def wanted(self) -> bool:
        return self._on_terminal or self._in_lines

    def __enter__(self) -> Progress:
        if self._on_terminal:
            self._bar = terminal_bar()
            self._task = self._bar.add_task("solve", total=1.0, note="")
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, source: int, iteration: int, residual: float) -> None:
        now = time.monotonic()
        interval = _LINE_EVERY_S if self._in_lines else 0.05
        if now - self._last_shown < interval:
            return
        self._last_shown = now
        note = (
            f"source {source + 1}/{self._sources}, iteration {iteration}, residual {residual:.2e}"
        )
        if self._bar is not None:
            before = source - source % self._together
            done = min(1.0, (before + self._together * self._depth(residual)) / self._sources)
            self._bar.update(self._task, completed=done, note=note)
        else:
            print(f"onehop: {note}", file=sys.stderr, flush=True)

    def _depth(self, residual: float) -> float:
        """Share of the way to the tolerance, in orders of magnitude."""
        if not residual > 0 or self._tol >= 1:
            return 0.0
        return min(1.0, max(0.0, math.log(residual) / math.log(self._tol)))


def terminal_bar() -> object:
    """A bar on stderr that vanishes at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
