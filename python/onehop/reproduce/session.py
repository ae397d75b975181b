"""Runs the commands of published figures as a user does, each once, several beside each other."""

import concurrent.futures
import dataclasses
import functools
import json
import os
import queue
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from onehop import netsim
from onehop._core import Error, UsageError
from onehop.netsim import platform_file
from onehop.processes import end_with
from onehop.reproduce.kept import Kept
from onehop.virtual import PREFIX


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A number of a platform file: `key` of `platform`, while the options `when` are chosen; there
    `option` names the table that holds it."""

    platform: str
    key: str
    when: tuple[tuple[str, str], ...] = ()

    def applies(self, chosen: Mapping[str, str]) -> bool:
        return all(chosen.get(option) == choice for option, choice in self.when)

    def keys_on(self, platform: str, chosen: Mapping[str, str]) -> Iterator[str]:
        """Returns what the number is called on a platform, of which this was chosen: its key, that
        of a network which is the number's platform, or none."""
        if platform == self.platform and self.applies(chosen):
            yield self.key
        for file, called, chosen_there in platform_file.networks_of(platform) if platform else ():
            theirs = chosen_there | {
                name: chosen[called.option(name)]
                for name, _ in self.when
                if called.option(name) in chosen
            }
            if file == self.platform and self.applies(theirs):
                yield called.key(self.key)


class Session:
    """Records of commands; `overrides` are trial values of numbers, in the units of the files,
    which are added to every command on their platform as --platform-set, unless `touches` says
    that they change nothing there. Where `until` is given, a time of time.monotonic, TimeoutError
    is raised then."""

    def __init__(
        self,
        overrides: Mapping[Parameter, float] | None = None,
        touches: Callable[[Parameter, str], bool] = lambda *_: True,
        until: float | None = None,
    ) -> None:
        self._overrides = dict(overrides or {})
        self._touches = touches
        self._until = until

    def record(self, command: str) -> Mapping:
        """Returns the record that the command writes with --json, or that a program of onehop
        run writes itself. Raises UsageError if it is refused."""
        return _records.of(self.words(command), self._until)

    def begin(self, commands: Iterable[str]) -> None:
        """Begins to run all of the commands."""
        for command in commands:
            _records.begin(self.words(command))

    def words(self, command: str) -> tuple[str, ...]:
        """Returns the words of the command line, with the session's numbers."""
        words = shlex.split(command)
        if words[:1] != ["onehop"]:
            raise UsageError(f"a figure's command begins with onehop; got {command}")
        platform, chosen = machine_of(command)
        more = {
            key: f"{value!r}"
            for p, value in self._overrides.items()
            for key in p.keys_on(platform, chosen)
            if self._touches(p, command)
        }
        sets = [f"--platform-set={key}={value}" for key, value in sorted(more.items())]
        # What stands behind -- is a program with options of its own.
        end = words.index("--") if "--" in words else len(words)
        return (*words[1:end], *sets, *words[end:])

    def load(self, name: str, chosen: Mapping[str, str] | None = None) -> netsim.Platform:
        """Loads a platform as netsim.load does, with the session's numbers."""
        chosen = dict(chosen or {})
        more = {
            p.key: f"{value!r}"
            for p, value in self._overrides.items()
            if p.platform == name and p.applies(chosen)
        }
        return netsim.load(name, chosen | more)

    @property
    def closed_form(self) -> object:
        """Returns the module, as which an expression of a figure finds it in a session, too."""
        from onehop.netsim import closed_form

        return closed_form


@functools.cache
def machine_of(command: str) -> tuple[str, Mapping[str, str]]:
    """Returns the platform that a command is about, and what it chooses of its options."""
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
    """The records of this process: each command is run once, by as many workers as there are
    cores."""

    def __init__(self) -> None:
        self._futures: dict[tuple[str, ...], concurrent.futures.Future] = {}
        self._waiting: queue.SimpleQueue = queue.SimpleQueue()
        self._is_running = False
        self._kept: Kept | None = None

    def keep(self, kept: Kept) -> None:
        """Uses kept results from now on, and keeps new ones."""
        self._kept = kept

    def begin(self, words: tuple[str, ...]) -> None:
        if words in self._futures:
            return
        future = self._futures[words] = concurrent.futures.Future()
        known = self._kept and self._kept.answer(words, machine_of(_typed(words))[0])
        if known:
            _take(known, words, future)
            return
        if not self._is_running:
            self._is_running = True
            for _ in os.sched_getaffinity(0):
                threading.Thread(target=self._work, daemon=True).start()
        self._waiting.put((words, future))

    def of(self, words: tuple[str, ...], until: float | None) -> Mapping:
        self.begin(words)
        left = None if until is None else until - time.monotonic()
        if left is not None and left <= 0:
            raise concurrent.futures.TimeoutError
        return self._futures[words].result(left)

    def _work(self) -> None:
        """A worker is a process that runs commands one after the other. It ends with this one, even
        while it imports its modules."""
        worker = subprocess.Popen(
            [sys.executable, "-m", "onehop.cli.reproduce.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=end_with(os.getpid(), signal.SIGTERM),
        )
        while True:
            words, future = self._waiting.get()
            try:
                print(json.dumps(words), file=worker.stdin, flush=True)
                answer = json.loads(worker.stdout.readline())
            except (OSError, ValueError):
                future.set_exception(Error(f"{_typed(words)} ended without an answer"))
                continue
            if self._kept:
                self._kept.note(words, machine_of(_typed(words))[0], answer)
            _take(answer, words, future)


def _take(answer: Mapping, words: tuple[str, ...], future: concurrent.futures.Future) -> None:
    if "error" in answer:
        future.set_exception(UsageError(f"{_typed(words)}: {answer['error']}"))
    else:
        future.set_result(answer["record"])


def _typed(words: tuple[str, ...]) -> str:
    return shlex.join(("onehop", *words))


def keep(file: Path) -> None:
    """Keeps the results of the commands of all sessions in this file, and reads them from there."""
    _records.keep(Kept(file))


_records = _Records()
