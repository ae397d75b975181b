"""`onehop platform`: machines as data, from the first lines of a file to its check."""

from onehop.cli._shared.group import group

ACTIONS = {
    "new": "Writes a commented platform file of 35 lines that runs as it is.",
    "check": "Tells whether a platform file is valid, and which of its numbers are implausible.",
    "show": (
        "Shows a machine's options and the steps of a put as a table, or the machine as a picture."
    ),
    "list": "Lists the machines that come with onehop.",
    "schema": (
        "Writes the JSON schema of platform files, for editors that check TOML while you type."
    ),
}
COMMAND = group("platform", ACTIONS, "action")
