"""`onehop platform`: machines as data, from the first lines of a file to its check."""

from onehop.cli._shared.group import group

ACTIONS = {
    "new": "A commented platform file of 35 lines that runs as it is.",
    "check": "Whether a platform file is valid, and which of its numbers are implausible.",
    "show": "A machine as a table of the steps of a put, with its options; or as a picture.",
    "list": "The machines that come with onehop.",
    "schema": "The JSON schema of platform files, for editors that check TOML while one writes.",
}
COMMAND = group("platform", ACTIONS, "action")
