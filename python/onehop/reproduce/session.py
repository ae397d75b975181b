"""Runs the commands of published figures as a user does, each once, several beside each other."""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses
import functools
import io
import json
import multiprocessing
import os
import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from onehop import netsim
from onehop._core import Error, UsageError
from onehop.virtual import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A number of a platform file: `key` of `platform`, while the options `when` are chosen; there
    `option` names the table that holds it."""

    platform: str
    key: str
    when: tuple[tuple[str, str], ...] = ()

    def applies(self, chosen: Mapping[str, str]) -> bool:
        return all(chosen.get(option) == choice for option, choice in self.when)


class Session:
    """Records of commands; `overrides` are trial values of numbers, in the units of the files,
    which are added to every command on their platform as --platform-set."""

    def __init__(self, overrides: Mapping[Parameter, float] | None = None) -> None:
        self._overrides = dict(overrides or {})

    def record(self, command: str) -> Mapping:
        """What the command writes with --json. Raises UsageError where it is refused."""
        return _records.of(self.words(command))

    def begin(self, commands: Iterable[str]) -> None:
        """Begins to run all of them."""
        for command in commands:
            _records.begin(self.words(command))

    def words(self, command: str) -> tuple[str, ...]:
        """Of the command line, with the session's numbers."""
        words = shlex.split(command)
        if words[:1] != ["onehop"]:
            raise UsageError(f"a figure's command begins with onehop; got {command}")
        platform, chosen = machine_of(command)
        more = {
            p.key: f"{value!r}"
            for p, value in self._overrides.items()
            if p.platform == platform and p.applies(chosen)
        }
        sets = [f"--platform-set={key}={value}" for key, value in sorted(more.items())]
        return (*words[1:], *sets)

    def load(self, name: str, chosen: Mapping[str, str] | None = None) -> netsim.Platform:
        """As netsim.load, with the session's numbers."""
        chosen = dict(chosen or {})
        more = {
            p.key: f"{value!r}"
            for p, value in self._overrides.items()
            if p.platform == name and p.applies(chosen)
        }
        return netsim.load(name, chosen | more)

    @property
    def closed_form(self) -> object:
        from onehop.netsim import closed_form

        return closed_form


@functools.cache
def machine_of(command: str) -> tuple[str, Mapping[str, str]]:
    """The platform that a command is about, and what it chooses of its options."""
    words = shlex.split(command)
    platform, chosen = "", {}
    for number, word in enumerate(words):
        if word.startswith(PREFIX):
            platform = word.removeprefix(PREFIX)
        elif word == "simulate":
            platform = words[number + 1]
        elif word == "--platform-set":
            chosen |= dict(part.split("=", 1) for part in words[number + 1].split(","))
    return platform, chosen


class _Records:
    """Of this process: each command is run once, by as many workers as there are cores."""

    def __init__(self) -> None:
        self._pool: concurrent.futures.ProcessPoolExecutor | None = None
        self._under_way: dict[tuple[str, ...], concurrent.futures.Future] = {}

    def begin(self, words: tuple[str, ...]) -> None:
        if words in self._under_way:
            return
        if self._pool is None:
            # A fresh interpreter, as threads of this one may hold locks.
            self._pool = concurrent.futures.ProcessPoolExecutor(
                len(os.sched_getaffinity(0)), multiprocessing.get_context("spawn")
            )
        self._under_way[words] = self._pool.submit(_run, words)

    def of(self, words: tuple[str, ...]) -> Mapping:
        self.begin(words)
        return self._under_way[words].result()


_records = _Records()


def _run(words: tuple[str, ...]) -> Mapping:
    """In a worker. Raises UsageError with the command's own line."""
    with contextlib.redirect_stdout(io.StringIO()):
        return run_here(words)


def run_here(words: tuple[str, ...]) -> Mapping:
    """Runs a command in this process, which shows what it shows, and returns its record."""
    from onehop.cli import commands

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "record.json"
        try:
            commands.run([*words, "--json", str(path)])
        except Error as error:
            raise UsageError(f"{shlex.join(('onehop', *words))}: {error}") from None
        return json.loads(path.read_text())
