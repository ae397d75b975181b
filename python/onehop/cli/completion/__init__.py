"""The options of `onehop completion`."""

from onehop.cli._shared.command import Command
from onehop.cli._shared.option import argument

COMMAND = Command(
    "completion",
    [argument("SHELL", "Whose script.", ("bash", "zsh", "fish"))],
    usage="bash|zsh|fish",
    notes="What a shell reads at its start: a line in ~/.bashrc or ~/.zshrc, a file for fish.",
    examples=(
        'eval "$(onehop completion bash)"',
        'eval "$(onehop completion zsh)"',
        "onehop completion fish > ~/.config/fish/completions/onehop.fish",
    ),
)
