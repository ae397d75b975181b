"""Runs jobs and traffic beside a measured workload, and finds by how much they slow it down."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import click

from onehop import _core, output
from onehop._core import UsageError
from onehop.cli._shared.command import one_line
from onehop.cli._shared.option import Options, shown_name
from onehop.cli.simulate import COMMAND, JOBS
from onehop.netsim import Platform, placement, traffic
from onehop.netsim.program import Program

if TYPE_CHECKING:
    # Makes the program of a job of its options, a platform and its machine.
    MakesProgram = Callable[[Options, Platform, _core.MachineDescription], Program]

_OF_A_JOB = ("nodes", "message_bytes", "lattice", "compute", "diagonal", "memory", "hosts")


class _Job(NamedTuple):
    words: str
    program: Program
    places: list[int]


class Beside:
    """The others on a machine; it is false where there are none."""

    def __init__(
        self,
        options: Options,
        platform: Platform,
        machine: _core.MachineDescription,
        programs: Mapping[str, MakesProgram],
    ) -> None:
        self.background, self._machine = _core.Background(), machine
        self._jobs: list[_Job] = []
        self._traffic = options.background
        taken = set(machine.places) if options.workload in JOBS else set()
        for words in options.beside:
            job = _options_of(words, options.platform)
            count = math.prod(job.nodes)
            if count < 2:
                raise UsageError(f"--beside {words!r}: a job of one node sends nothing")
            try:
                places = placement.places(job.hosts, count, machine.nodes, taken)
            except UsageError as error:
                raise UsageError(f"--beside {words!r}: {error}") from None
            # A job on all nodes in turn has its places written out.
            places = places or list(range(count))
            taken |= set(places)
            program = programs[job.workload](job, platform, machine)
            self.background.add_job(*program, places)
            self._jobs.append(_Job(words, program, places))
        self.path = traffic.with_traffic(machine) if self else 0
        for pattern, load in self._traffic:
            what = (pattern, load, options.seed + 1, self.path)
            self.background.add_traffic(traffic.background(machine, *what))

    def __bool__(self) -> bool:
        return bool(self._jobs or self._traffic)

    def run(
        self,
        what: Program,
        made: _core.ProgramRun,
        options: Options,
        tell: Callable[[int, int], None] | None = None,
    ) -> tuple[_core.ProgramTimes, dict]:
        """Runs a program that was made with `background`, and writes its trace if that is asked
        for. Returns its times and the record's keys that compare it, and the jobs beside it,
        with the same jobs alone; no keys if it ran alone."""
        if options.trace:
            made.record_trace()
        times = made.run(tell)
        if options.trace:
            with output.complete_or_absent(options.trace) as temporary:
                made.write_trace(str(temporary))
        if not self:
            return times, {}
        alone = what.on(self._machine, options.steps).run().total_ps
        compared = _compared(times.total_ps, alone, options.steps)
        return times, compared | {"beside": self._others(made.beside)}

    def slowdowns_of_traffic(
        self, point: dict, alone: dict, times: list[_core.ProgramTimes]
    ) -> dict:
        """Returns those keys of traffic, whose mean latencies are compared."""
        found = {"beside": self._others(times)}
        if "mean_us" not in point or "mean_us" not in alone:
            return found
        slowdown = point["mean_us"] / alone["mean_us"]
        return {"alone_us": alone["mean_us"], "slowdown": slowdown} | found

    def _others(self, times: list[_core.ProgramTimes]) -> list[dict]:
        found = []
        for job, beside in zip(self._jobs, times, strict=True):
            places = self._machine.places
            self._machine.places = job.places
            alone = job.program.on(self._machine, beside.iterations).run().total_ps
            self._machine.places = places
            compared = _compared(beside.total_ps, alone, beside.iterations)
            hosts = [place + 1 for place in job.places]
            step = beside.total_ps / beside.iterations * 1e-6
            found.append({"what": job.words, "hosts": hosts, "step_us": step} | compared)
        return found


def _compared(total_ps: int, alone_ps: int, steps: int) -> dict:
    return {
        "steps": steps,
        "alone_us": alone_ps / steps * 1e-6,
        "slowdown": total_ps / alone_ps if alone_ps else 1.0,
    }


def _options_of(words: str, platform: str) -> Options:
    """Returns the options of a job that is given as those of a command of its own."""
    try:
        parts = shlex.split(words)
        context = COMMAND.make_context("--beside", [platform, *parts])
    except (click.ClickException, ValueError) as error:
        why = one_line(error) if isinstance(error, click.ClickException) else str(error)
        raise UsageError(f"--beside {words!r}: {why}") from None
    except click.exceptions.Exit:
        raise UsageError(f"--beside {words!r}: a job is needed, not its help") from None
    given = context.params
    source = click.core.ParameterSource.COMMANDLINE
    for param in COMMAND.params:
        is_given = context.get_parameter_source(param.name) is source
        if is_given and param.name not in (*_OF_A_JOB, "platform", "workload"):
            raise UsageError(f"--beside {words!r}: {shown_name(param)} is for the whole machine")
    if given["workload"] not in JOBS:
        raise UsageError(f"--beside {words!r}: begin with {', '.join(JOBS)}")
    if not given["nodes"]:
        raise UsageError(f"--beside {words!r}: give it --nodes")
    return Options(**given)


def slowdown_rows(found: dict) -> list[tuple[str, str]]:
    """Returns rows of a table with what a record says of others beside."""
    rows = []
    if "slowdown" in found:
        rows.append(("slow-down", f"{found['slowdown']:.4g}; alone {found['alone_us']:.3f} us"))
    for job in found.get("beside", []):
        shown = f"step {job['step_us']:.3f} us, slow-down {job['slowdown']:.4g}"
        rows.append((f"beside: {job['what']}", shown))
    return rows
