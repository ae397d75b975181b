"""Messages delivered and virtual time: a bar on a terminal, lines with --verbose, else nothing."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import types


class SimulateProgress:
    """Used as a context; `update` now and then."""

    def __init__(self, options: types.SimpleNamespace, messages: int) -> None:
        self._messages = messages
        self._on_terminal = sys.stderr.isatty()
        self._in_lines = options.verbose and not self._on_terminal
        self._bar = None

    @property
    def wanted(self) -> bool:
        return self._on_terminal or self._in_lines

    def __enter__(self) -> SimulateProgress:
        if self._on_terminal:
            from onehop.cli.progress import terminal_bar

            self._bar = terminal_bar()
            self._task = self._bar.add_task("simulate", total=self._messages, note="")
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, now_ps: int, delivered: int) -> None:
        note = f"{now_ps * 1e-6:.1f} us virtual, {delivered}/{self._messages} messages"
        if self._bar is not None:
            self._bar.update(self._task, completed=delivered, note=note)
        else:
            print(f"onehop: {note}", file=sys.stderr, flush=True)
