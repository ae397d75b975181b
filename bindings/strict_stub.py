"""Completes a stub for `mypy --strict`: nanobind leaves out the types within arrays and containers.

python strict_stub.py WRITTEN COMPLETED
"""

import re
import sys
from pathlib import Path

COMPLETED = [
    (r"\bNDArray\b(?!\[)", "NDArray[Any]"),
    (r"\bdict\b(?![\[(])", "dict[str, Any]"),
    (r"\blist\b(?!\[)", "list[Any]"),
    (r"\btuple\b(?!\[)", "tuple[Any, ...]"),
    (r"\*\*kwargs\b(?!:)", "**kwargs: Any"),
    # What something is compared with may be anything.
    (r"(__eq__\(self, \w+): \w+", r"\1: object"),
]


def completed(line: str) -> str:
    """Returns a line with all types, where it is one of a signature or of a member."""
    if not re.match(r"\s*(def .*|\w+: \w+ = \.\.\.)$", line):
        return line
    for pattern, text in COMPLETED:
        line = re.sub(pattern, text, line)
    return line


def main(written: str, target: str) -> None:
    text = "\n".join(map(completed, Path(written).read_text().split("\n")))
    if re.search(r"\bAny\b", text):
        text = re.sub(r"^from typing import (?!Any)", "from typing import Any, ", text, flags=re.M)
    Path(target).write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
