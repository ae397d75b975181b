"""`python -m onehop.cli.docs [FILE]`: the reference page of the command line, from the tables."""

from __future__ import annotations

import sys
from pathlib import Path

from onehop import _core
from onehop.cli.commands import COMMANDS, overview


def page() -> str:
    """Markdown with every command's help."""
    parts = [
        "# Command line",
        "Written by `make docs` from the option tables; edit `python/onehop/cli/commands.py`.",
        f"```\n{overview()}```",
    ]
    for command in COMMANDS.values():
        parts += [f"## onehop {command.name}", f"```\n{command.help()}```"]
    parts += ["## Environment", _environment()]
    return "\n\n".join(parts) + "\n"


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
