"""Sweeps done and the plaquette: a bar on a terminal, sparse lines with --verbose, else nothing."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import types

_LINE_EVERY_S = 1.0


class SweepProgress:
    """Used as a context; `update` after every sweep. Only rank 0 shows anything."""

    def __init__(self, options: types.SimpleNamespace, show: bool) -> None:
        self._sweeps = options.sweeps
        self._on_terminal = show and sys.stderr.isatty()
        self._in_lines = show and options.verbose and not self._on_terminal
        self._last_shown = 0.0
        self._bar = None

    def __enter__(self) -> SweepProgress:
        if self._on_terminal:
            from onehop.cli.progress import terminal_bar

            self._bar = terminal_bar()
            self._task = self._bar.add_task("generate", total=self._sweeps, note="")
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, sweep: int, plaquette: float) -> None:
        note = f"sweep {sweep}/{self._sweeps}, plaquette {plaquette:.6f}"
        if self._bar is not None:
            self._bar.update(self._task, completed=sweep, note=note)
        elif self._in_lines and time.monotonic() - self._last_shown >= _LINE_EVERY_S:
            self._last_shown = time.monotonic()
            print(f"onehop: {note}", file=sys.stderr, flush=True)
