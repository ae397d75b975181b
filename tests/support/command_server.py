"""Runs `onehop WORDS` in children of a process that has read all modules before.

An interpreter takes a third of a second to read them, of which a suite with some thousands of
commands would mostly be made. A command is a process of its own all the same, with its environment,
folder and descriptors. What differs is what an interpreter does before it reads the first module
and after the last line of onehop's.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# An interpreter and its libraries read variables with these names before any module of onehop.
READ_AT_START = ("PYTHON", "LD_", "LC_", "LANG", "OPENBLAS_", "OMP_", "MALLOC_", "MPL")


class CommandServer:
    """The process, which lives until `close`."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            # A shell that runs the tests in the background may have them ignore Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self._said = b""
        self._at_start = at_start(os.environ)

    def serves(self, environment: dict[str, str]) -> bool:
        """Returns whether a command with this environment would not begin otherwise."""
        return at_start(environment) == self._at_start

    def run(
        self, words: list[str], cwd: str, environment: dict[str, str], timeout: float
    ) -> tuple[int, str, str]:
        """Runs a command to its end; returns its exit status, as of Popen, and what it has said."""
        with tempfile.TemporaryDirectory(prefix="command-") as folder:
            request = {"words": words, "cwd": cwd, "environment": environment, "folder": folder}
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
            command = self._number(timeout)
            try:
                status = self._number(timeout)
            except BaseException:
                # A test that takes too long ends here, too; the next one has a server all the same.
                os.kill(command, signal.SIGKILL)
                self._number(timeout)
                raise
            said = [Path(folder, name).read_text() for name in ("out", "err")]
        return status, *said

    def _number(self, timeout: float) -> int:
        """Returns the next number that the server says: of the process, or its status."""
        end = time.monotonic() + timeout
        while b"\n" not in self._said:
            left = max(0.0, end - time.monotonic())
            if not select.select([self._process.stdout], [], [], left)[0]:
                raise TimeoutError(f"a command took more than {timeout} s")
            new = os.read(self._process.stdout.fileno(), 100)
            if not new:
                raise EOFError("the server of commands has ended")
            self._said += new
        line, _, self._said = self._said.partition(b"\n")
        return int(line)

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait(timeout=30)
        self._process.stdout.close()


def at_start(environment: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(READ_AT_START)}


def _read_modules() -> None:
    import onehop

    names = [found.name for found in pkgutil.walk_packages(onehop.__path__, "onehop.")]
    for name in (*names, "matplotlib.figure", "matplotlib.backends.backend_agg", "h5py"):
        if not name.endswith("__main__"):
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
    gc.freeze()


def _become(request: dict) -> None:
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["cwd"])
    for descriptor, name in ((0, os.devnull), (1, "out"), (2, "err")):
        how = os.O_WRONLY | os.O_CREAT | os.O_APPEND if descriptor else os.O_RDONLY
        file = os.open(Path(request["folder"], name), how)
        os.dup2(file, descriptor)
        os.close(file)
    sys.argv = [str(Path(sys.executable).with_name("onehop")), *request["words"]]


def _run() -> None:
    """Ends without taking the modules apart, which copies all pages that the server has."""
    from onehop.cli import entry

    try:
        entry()
    except SystemExit as ended:
        status = ended.code
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _serve() -> None:
    """Returns in each child, which is to run the command, and ends with the requests."""
    while line := sys.stdin.readline():
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            return _become(request)
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    sys.exit()


if __name__ == "__main__":
    _read_modules()
    _serve()
    _run()
