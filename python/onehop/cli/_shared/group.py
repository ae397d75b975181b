"""A command that has commands of its own."""

from collections.abc import Mapping

import click

from onehop.cli.commands import SUMMARIES, Commands


def group(name: str, summaries: Mapping[str, str], what: str, work: str = "") -> Commands:
    """`onehop NAME WHAT ...`, whose commands are modules of onehop.cli.NAME, which have `run` where
    no module with `work` behind its name has it; without a `what` it lists them."""

    def list_them(ctx: click.Context) -> int:
        if ctx.invoked_subcommand is None:
            width = max(map(len, summaries))
            for word, summary in summaries.items():
                click.echo(f"{word:{width}}  {summary}")
        return 0

    return Commands(
        name,
        summaries,
        folder=f"onehop.cli.{name}",
        work=work,
        what=what,
        help=f"{SUMMARIES[name]} Without a name, lists them.",
        epilog=f"onehop {name} NAME --help lists its options.",
        subcommand_metavar="NAME ...",
        invoke_without_command=True,
        callback=click.pass_context(list_them),
    )
