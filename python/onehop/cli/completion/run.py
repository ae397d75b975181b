"""`onehop completion` prints the script by which a shell asks onehop what could stand next."""

from collections.abc import Sequence

from click.shell_completion import get_completion_class

from onehop.cli._shared.option import Options
from onehop.cli.commands import COMPLETE, ONEHOP


def run(options: Options, words: Sequence[str]) -> int:
    print(get_completion_class(options.shell)(ONEHOP, {}, "onehop", COMPLETE).source())
    return 0
