"""`python -m onehop.cli.reproduce.worker` runs commands for onehop.reproduce.session, which has
started it and whose end is SIGTERM for it.

Each line of standard input is the words of a command; each line of standard output answers with
its record, or with the line by which it was refused.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from onehop._core import Error
from onehop.cli import commands
from onehop.cli._shared.command import one_line
from onehop.processes import interrupt


def record_of(words: Sequence[str]) -> Mapping:
    """Runs a command in this process, which shows what it shows, and returns its record."""
    if words[0] == "run":
        return _record_of_program(words)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "record.json"
        commands.run([*words, "--json", str(path)])
        return json.loads(path.read_text())


def _record_of_program(words: Sequence[str]) -> Mapping:
    """Runs a program of the experiments, which writes its record. Its `python` is this one, also
    where the environment is not activated."""
    command = [sys.executable, "-m", "onehop", *words]
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    environment = os.environ | {"PATH": path}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise Error("; ".join(ended.stderr.strip().splitlines()))
    return json.loads(ended.stdout)


def serve() -> None:
    # The process that started this one is interrupted instead, and then there is no more input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Once it has ended nobody needs the command that runs here, which cleans up behind itself.
    signal.signal(signal.SIGTERM, interrupt)
    with os.fdopen(os.dup(1), "w") as answers, Path(os.devnull).open("w") as nowhere:
        # The output of commands is not needed.
        os.dup2(nowhere.fileno(), 1)
        for line in sys.stdin:
            print(json.dumps(_answer(json.loads(line))), file=answers, flush=True)


def _answer(words: Sequence[str]) -> Mapping:
    try:
        return {"record": record_of(words)}
    except Error as error:
        return {"error": str(error)}
    except click.ClickException as error:
        return {"error": one_line(error)}


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        serve()
