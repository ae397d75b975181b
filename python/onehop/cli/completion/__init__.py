"""The options of `onehop completion`."""

from onehop.cli._shared.command import Command
from onehop.cli._shared.option import argument

COMMAND = Command(
    "completion",
    [argument("SHELL", "Your shell.", ("bash", "zsh", "fish"))],
    usage="bash|zsh|fish",
    notes=(
        "Have the shell read the script at its start: by a line in ~/.bashrc or ~/.zshrc, or, "
        "for fish, a file."
    ),
    examples=(
        'eval "$(onehop completion bash)"',
        'eval "$(onehop completion zsh)"',
        "onehop completion fish > ~/.config/fish/completions/onehop.fish",
    ),
)
