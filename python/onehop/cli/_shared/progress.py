"""Shows how far a long command is: a bar on a terminal, lines with --verbose elsewhere, else
nothing."""

from __future__ import annotations

import sys
import time

_BAR_EVERY_S, _LINE_EVERY_S = 0.05, 1.0
_NARROW = 72


class Progress:
    """Use it as a context, and call `update` after each of the `total` steps. Only rank 0 may
    `show` anything.

    If steps come `often`, some are not shown, since showing them would take longer than the steps.
    """

    def __init__(
        self, title: str, total: float, *, verbose: bool, show: bool = True, often: bool = False
    ) -> None:
        self._title, self._total = title, total
        self._bar = self._task = None
        self._on_terminal = show and sys.stderr.isatty()
        self.is_shown = self._on_terminal or (show and verbose)
        self._every_s = 0.0
        if often:
            self._every_s = _BAR_EVERY_S if self._on_terminal else _LINE_EVERY_S
        self._last_shown = -_LINE_EVERY_S

    def __enter__(self) -> Progress:
        if self._on_terminal:
            self._bar = _bar()
            self._task = self._bar.add_task(self._title, total=self._total, note="")
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, done: float, note: str) -> None:
        now = time.monotonic()
        if not self.is_shown or now - self._last_shown < self._every_s:
            return
        self._last_shown = now
        if self._bar is not None:
            self._bar.update(self._task, completed=done, note=note)
        else:
            print(f"onehop: {self._title} {note}", file=sys.stderr, flush=True)


def _bar() -> object:
    """Makes the bar, which vanishes at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    # The bar is drawn by escapes, which nothing else may write; its own text has none.
    console = Console(file=getattr(sys.stderr, "bare", sys.stderr))
    columns = [TextColumn("{task.fields[note]}", markup=False)]
    # On a narrow terminal the numbers are worth more than the bar.
    if console.width >= _NARROW:
        columns = [TextColumn("{task.description}"), BarColumn(), *columns, TimeElapsedColumn()]
    return Progress(*columns, console=console, transient=True)
