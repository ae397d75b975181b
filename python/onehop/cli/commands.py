"""Lists the commands by name; each is imported on first use."""

import importlib
import os
from collections.abc import Mapping, Sequence

import click

from onehop.nearest import nearest

# A shell asks by this variable what could stand next.
COMPLETE = "_ONEHOP_COMPLETE"
SUMMARIES = {
    "info": "Shows what this installation and machine offer, or what a file of fields holds.",
    "doctor": "Shows what onehop can use on this machine, and what blocks the rest.",
    "selftest": "Tests properties of the installed package on 1, 2 and 4 ranks; takes a minute "
    "at most.",
    "run": "Runs any program as N ranks on this machine, without MPI, ssh or host file, or with "
    "mpirun.",
    "generate": "Makes a gauge configuration by SU(3) heatbath with overrelaxation.",
    "measure": "Measures plaquette, rectangle, Polyakov loops and charge, also after smearing or "
    "flow.",
    "convert": "Converts configurations, propagators, eigenvectors and correlators between "
    "formats.",
    "verify": "Checks a file of links, propagators, eigenvectors or correlators, or compares two "
    "files.",
    "solve": "Computes propagator and pseudoscalar correlator on a gauge configuration.",
    "ensemble": (
        "Solves on several configurations, resumes where it was interrupted, and averages."
    ),
    "bench": "Measures the wire between ranks, or operators against their roofline, and checks "
    "results.",
    "tune": "Finds the fastest settings for shared memory, hops or device kernels here, and "
    "keeps them.",
    "fit": "Fits models to measured times: parameters with 90% intervals, and what stays "
    "undetermined.",
    "compare": "Tells whether a record of bench is SAME, FAST, SLOW or AMBIGUOUS compared with "
    "an older one.",
    "report": "Makes a static page from records: curves, models, rooflines, time splits, scaling.",
    "platform": "Lists, shows, creates and checks descriptions of machines (platform files).",
    "simulate": "Simulates a workload on a machine in virtual time, packet by packet.",
    "reproduce": (
        "Compares published figures of ten machines with those that their platform files give."
    ),
    "scale": (
        "Shows how a CG iteration scales on several networks, and where scaling ends on each."
    ),
    "app": "Runs applications built on onehop's public headers, on any wire.",
    "completion": "Prints the script with which a shell completes commands, options and files.",
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
    epilog="onehop COMMAND --help lists the options of a command. Exit status: 0 done, 1 a check "
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
