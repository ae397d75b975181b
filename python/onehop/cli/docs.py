"""`python -m onehop.cli.docs [FILE]` writes the reference page of the command line."""

import sys
from pathlib import Path

import click

from onehop import _core
from onehop.cli.commands import ONEHOP

# With this width, help is as wide as on a terminal of 100 columns.
WIDTH = 98


def page() -> str:
    """Returns Markdown with every command's help."""
    top = _context(ONEHOP, None)
    parts = ["# Command line", "Written by `make docs` from `python/onehop/cli`.", _help(top)]
    for name in ONEHOP.list_commands(top):
        context = _context(ONEHOP.get_command(top, name), top)
        parts += [f"## onehop {name}", _help(context), *_below(context)]
    parts += ["## Environment", _environment()]
    return "\n\n".join(parts) + "\n"


def _below(context: click.Context) -> list[str]:
    """Returns the help of the commands of a command."""
    parts = []
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            below = _context(context.command.get_command(context, name), context)
            parts += [f"### {below.command_path}", _help(below)]
    return parts


def _context(command: click.Command, top: click.Context | None) -> click.Context:
    settings = {"terminal_width": WIDTH, "resilient_parsing": True}
    return command.make_context(command.name, [], top, **settings)


def _help(context: click.Context) -> str:
    return f"```\n{context.get_help()}\n```"


def _environment() -> str:
    lines = ["| variable | meaning | default |", "| --- | --- | --- |"]
    for name, unit, usual, text in _core.environment_variables():
        default = f"{usual} {unit}".strip() or "not set"
        lines.append(f"| `{name}` | {text} | {default} |")
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(page())
    else:
        sys.stdout.write(page())
