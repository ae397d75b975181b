"""The options that all commands of applications have, beside their own."""

from collections.abc import Sequence

import click

from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command


def application(
    name: str,
    own: Sequence[click.Parameter],
    more: Sequence[click.Parameter] = (),
    *,
    memory: click.Parameter | None = None,
    plot: str,
    usage: str,
    notes: str,
    examples: Sequence[str],
) -> Command:
    """Makes `onehop app NAME`, which lists the wire behind its `own` options and `more` behind the
    wire, whose --memory may be another one. `plot` is the help of --plot, "as png, pdf or svg" left
    out."""
    wire = (shared.WIRE(), memory or shared.MEMORY(), shared.PLATFORM_SET(), shared.HOSTS())
    picture = shared.PLOT(help=f"Draw {plot}, as png, pdf or svg.")
    params = [*own, *wire, *more, shared.JSON(), picture, shared.VERBOSE()]
    return Command(name, params, usage=usage, notes=notes, examples=examples)
