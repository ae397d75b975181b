"""The options of `onehop platform schema`."""

from onehop.cli._shared import options as shared
from onehop.cli._shared.command import Command

COMMAND = Command(
    "schema",
    [shared.OUT(help="Write it there (default: standard output).")],
    usage="[-o FILE]",
    notes="An editor takes it from the first line of a platform file: #:schema "
    "./platform.schema.json, as onehop platform new writes it.",
    examples=("onehop platform schema -o platform.schema.json",),
)
