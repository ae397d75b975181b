"""Steps done of so many: a bar on a terminal, sparse lines with --verbose, else nothing."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import types

_LINE_EVERY_S = 1.0


class StepProgress:
    """Used as a context; `update` after every step, which is called `step`. Only rank 0 shows
    anything."""

    def __init__(
        self, options: types.SimpleNamespace, task: str, step: str, steps: int, show: bool
    ) -> None:
        self._task_name, self._step, self._steps = task, step, steps
        self._on_terminal = show and sys.stderr.isatty()
        self._in_lines = show and options.verbose and not self._on_terminal
        self._last_shown = 0.0
        self._bar = None

    def __enter__(self) -> StepProgress:
        if self._on_terminal:
            from onehop.cli.progress import terminal_bar

            self._bar = terminal_bar()
            self._task = self._bar.add_task(self._task_name, total=self._steps, note="")
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, done: int, found: str) -> None:
        note = f"{self._step} {done}/{self._steps}, {found}"
        if self._bar is not None:
            self._bar.update(self._task, completed=done, note=note)
        elif self._in_lines and time.monotonic() - self._last_shown >= _LINE_EVERY_S:
            self._last_shown = time.monotonic()
            print(f"onehop: {note}", file=sys.stderr, flush=True)
