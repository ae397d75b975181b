"""`onehop app`: programs on onehop's public headers, each a command of its own."""

from __future__ import annotations

import importlib

import click

from onehop.cli.commands import SUMMARIES, Commands

APPS = {
    "graph-search": "Graph500: breadth-first searches of a large graph, each validated.",
    "spin-glass": "A Heisenberg spin glass in three dimensions: over-relaxation and heatbath.",
}


class Apps(Commands):
    """The applications by name, each imported when it is asked for."""

    summaries = APPS
    what = "application"

    def load(self, name: str) -> click.Command:
        return importlib.import_module(f"onehop.cli.app.{name.replace('-', '_')}").COMMAND


def _list(ctx: click.Context) -> int:
    if ctx.invoked_subcommand is None:
        width = max(map(len, APPS))
        for name, summary in APPS.items():
            click.echo(f"{name:{width}}  {summary}")
    return 0


COMMAND = Apps(
    "app",
    help=SUMMARIES["app"] + " Without a name it lists them.",
    epilog="onehop app NAME --help lists the options of one.",
    subcommand_metavar="NAME ...",
    options_metavar="",
    invoke_without_command=True,
    callback=click.pass_context(_list),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
