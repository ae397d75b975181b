"""The command line: data goes to stdout, messages to stderr; exit status 0 done, 1 the check
failed, 2 an error."""

import atexit
import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from onehop import extras, launch, mpi_launch
from onehop._core import Error, UsageError
from onehop.cli import commands
from onehop.cli._shared.command import one_line
from onehop.cli._shared.plain_stream import plain_streams
from onehop.processes import interrupt

_LONGEST_LINE = 3000


def entry() -> None:
    """The console script."""
    status = main(sys.argv[1:])
    if launch.has_run_ranks():
        _end_at_once(status)
    sys.exit(status)


def _end_at_once(status: int) -> NoReturn:
    """Ends a launcher without finalising its interpreter, which once the ranks are gone takes
    longer than everything else, on a crowded machine seconds."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(status)


def main(arguments: Sequence[str]) -> int:
    """Runs one command and returns its exit status; errors become one line on stderr."""
    _hold_standard_streams()
    _clean_up_when_ended()
    with plain_streams():
        return _run(arguments)


def _run(arguments: Sequence[str]) -> int:
    try:
        status = commands.run(arguments)
        sys.stdout.flush()
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.ClickException as error:
        return fail(UsageError(one_line(error)))
    except BrokenPipeError as error:
        _give_up_output()
        launch.report_failure(error)
        return 2
    except KeyboardInterrupt as error:
        # Once is enough, since all that is left to do is to clean up.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        return fail(KeyboardInterrupt(str(error) or "interrupted"))
    except Error as error:
        return fail(error)
    except ModuleNotFoundError as error:
        return fail(extras.missing("this", error.name) or error)
    except MemoryError:
        return fail(MemoryError("out of memory; use a smaller lattice, or more machines' memory"))
    except OSError as error:
        _give_up_output()
        return fail(OSError(_about_system(error)))
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        kind = type(error).__name__
        return fail(Error(f"internal error, {kind}: {error}; PYTHONDEVMODE=1 shows the place"))
    return status


def _about_system(error: OSError) -> str:
    why = str(error.strerror or error)
    if "usable temporary directory" in why:
        return f"{why}; set TMPDIR to a folder that can be written"
    return f"{error.filename or 'input or output'}: {why}"


def _hold_standard_streams() -> None:
    """A closed 0, 1 or 2 would be taken by the next pipe or file that is opened."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115, PTH123
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115, PTH123
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115, PTH123


def _clean_up_when_ended() -> None:
    """Makes SIGTERM and SIGHUP interrupt as Ctrl-C does. The launcher cleans up after ranks."""
    if "ONEHOP_RANK" in os.environ:
        return
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, interrupt)


def _give_up_output() -> None:
    """Drops output that cannot be written now, so that Python does not try again, with a
    complaint, at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def fail(error: BaseException) -> int:
    """Prints one line on stderr, from the launcher if there is one."""
    reported = launch.report_failure(error)
    if not reported and mpi_launch.is_to_tell(_one_line(error)):
        print(f"onehop: {_one_line(error)}", file=sys.stderr, flush=True)
    if reported:
        # The other ranks are being ended; nothing here may wait for them any more.
        sys.stdout.flush()
        os._exit(2)
    return 2


def _one_line(error: BaseException) -> str:
    """Returns the message as one line of limited length, since it may quote a file of any size."""
    line = " ".join(str(error).split())
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]} ..."
