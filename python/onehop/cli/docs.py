"""`python -m onehop.cli.docs [FILE]`: the reference page of the command line, from the tables."""

from __future__ import annotations

import sys
from pathlib import Path

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
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(page())
    else:
        sys.stdout.write(page())
