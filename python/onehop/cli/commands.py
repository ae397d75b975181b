"""The commands have names, and each is imported on first use."""

import importlib
import os
from collections.abc import Mapping, Sequence

import click

from onehop.nearest import nearest

# A shell asks by this variable what could stand next.
COMPLETE = "_ONEHOP_COMPLETE"
SUMMARIES = {
    "info": "What this installation and this machine have, or what a file of fields holds.",
    "doctor": "What of this machine onehop can use, and what stands in the way of the rest.",
    "selftest": "Checks of the installed package by property, on 1, 2 and 4 ranks; about a minute "
    "at most.",
    "run": "Runs any program as N ranks on this machine, without MPI, ssh or host file, or under "
    "mpirun.",
    "generate": "Makes a gauge configuration by SU(3) heatbath with overrelaxation.",
    "measure": "Plaquette, rectangle, Polyakov loops and charge of a configuration, smeared or "
    "flowed.",
    "convert": "Configurations, propagators, eigenvectors, correlators between ILDG, SciDAC, HDF5 "
    "and others.",
    "verify": "Checks a file of links, a propagator, eigenvectors or correlators, also against "
    "another one.",
    "solve": "Propagator and pseudoscalar correlator on a gauge configuration.",
    "ensemble": "Solves on several configurations, goes on where it was ended, and averages.",
    "bench": "Measures what the wire between ranks does, or operators beside their roofline; "
    "checks all.",
    "tune": "Measures how lines between cores, hops or kernels of a device are best done here; "
    "keeps it.",
    "fit": "Models of measured times, each parameter with its 90% interval, and what cannot be "
    "known.",
    "compare": "Tells whether a record of bench is SAME, FAST, SLOW or AMBIGUOUS against an older "
    "one.",
    "report": "One static page from records: curves, models, rooflines, time splits, scaling.",
    "platform": "Machines as data: shipped ones, a file of your own to start from, and its check.",
    "simulate": "A workload on a machine in virtual time, packet by packet.",
    "reproduce": "Published figures of ten machines against ours, by their platform files.",
    "scale": "How a CG iteration scales on networks side by side, and where each stops.",
    "app": "Applications on onehop's public headers, on any wire.",
    "completion": "The script that completes commands, options and files in a shell.",
}


class Commands(click.Group):
    """Commands by name with their `summaries`, each imported from `folder` when it is asked for.
    The module of its name with `work` behind it does its work."""

    def __init__(
        self,
        name: str,
        summaries: Mapping[str, str],
        *,
        folder: str = "onehop.cli",
        work: str = ".run",
        what: str = "command",
        **settings: object,
    ) -> None:
        names = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
        super().__init__(name, context_settings=names, options_metavar="", **settings)
        self.summaries, self.what, self._folder, self._work = summaries, what, folder, work

    def load(self, name: str) -> click.Command:
        module = f"{self._folder}.{name.replace('-', '_')}"
        command = importlib.import_module(module).COMMAND
        command.help = command.help or self.summaries[name]
        command.work = module + self._work
        return command

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return self.load(cmd_name) if cmd_name in self.summaries else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.summaries and not ctx.resilient_parsing:
            hint = nearest(args[0], list(self.summaries)) or f"; see {ctx.command_path} --help"
            raise click.ClickException(f"unknown {self.what} {args[0]!r}{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section(f"{self.what.capitalize()}s"):
            formatter.write_dl(list(self.summaries.items()))


def _print_version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from onehop._core import __version__

        click.echo(f"onehop {__version__}")
        ctx.exit()


ONEHOP = Commands(
    "onehop",
    SUMMARIES,
    help="One-sided, one-hop communication for lattice codes.",
    epilog="onehop COMMAND --help lists the options of a command. Exit status: 0 done, 1 the check "
    "failed (not converged, wrong), 2 an error.",
    subcommand_metavar="COMMAND ...",
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_print_version,
            help="Show the version.",
        )
    ],
)


def run(words: Sequence[str]) -> int:
    """Runs `onehop WORDS` and returns its exit status, or answers a shell that completes them."""
    asked = os.environ.get(COMPLETE)
    if asked:
        from click.shell_completion import shell_complete

        return shell_complete(ONEHOP, {}, "onehop", COMPLETE, asked)
    if not words:
        known = ", ".join(SUMMARIES)
        raise click.ClickException(f"a command is needed: {known}; see onehop --help")
    if words[0] == "help":
        words = [*words[1:], "--help"]
    with ONEHOP.make_context("onehop", list(words), obj=list(words)) as context:
        return ONEHOP.invoke(context)
