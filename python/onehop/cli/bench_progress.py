"""Cells done: a bar on a terminal, sparse lines with --verbose, else nothing."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import types

    from onehop import _core


class BenchProgress:
    """Used as a context; `update` before every cell. Only rank 0 shows anything."""

    def __init__(self, options: types.SimpleNamespace, cells: int, show: bool) -> None:
        self._pattern = options.pattern
        self._cells = cells
        self._on_terminal = show and sys.stderr.isatty()
        self._in_lines = show and options.verbose and not self._on_terminal
        self._bar = None

    def __enter__(self) -> BenchProgress:
        if self._on_terminal:
            from onehop.cli.progress import terminal_bar

            self._bar = terminal_bar()
            self._task = self._bar.add_task(self._pattern, total=self._cells, note="")
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, done: int, cell: _core.BenchCell) -> None:
        note = f"{len(cell.face_bytes)} x {max(cell.face_bytes)} bytes, {done + 1}/{self._cells}"
        if self._bar is not None:
            self._bar.update(self._task, completed=done, note=note)
        elif self._in_lines:
            print(f"onehop: {self._pattern} {note}", file=sys.stderr, flush=True)
