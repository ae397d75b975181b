"""Simulations done: a bar on a terminal, lines with --verbose, else nothing."""

from __future__ import annotations

import sys


class ScaleProgress:
    """Used as a context; `update` before every simulation."""

    def __init__(self, count: int, verbose: bool) -> None:
        self._count = count
        self._on_terminal = sys.stderr.isatty()
        self._in_lines = verbose and not self._on_terminal
        self._bar = None

    def __enter__(self) -> ScaleProgress:
        if self._on_terminal:
            from onehop.cli.progress import terminal_bar

            self._bar = terminal_bar()
            self._task = self._bar.add_task("simulate", total=self._count, note="")
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, done: int, note: str) -> None:
        if self._bar is not None:
            self._bar.update(self._task, completed=done, note=note)
        elif self._in_lines:
            print(f"onehop: simulate {note}, {done + 1}/{self._count}", file=sys.stderr, flush=True)
