"""Refuses words of the code's own where the field has one, and names for each the word to say."""

from __future__ import annotations

import re
import sys
from pathlib import Path

SAY = {
    r"cards?": "device or GPU; network cards are told of in platforms, experiments and docs only",
    r"judge": "true-residual check or reference",
    r"settle[ds]?": "autotune, complete, drain or choose, by what is meant",
    r"director": "scheduler",
    r"post_office": "dispatcher",
    r"addressee": "receiver",
    r"make_room|onehop_room": "workspace for memory, library for a folder of src",
    r"column_(values|mask|matrix)": "rhs",
    r"ask_for|asked_lines|[aA]sker|read_ahead|halo_ahead": "prefetch",
    r"real64|real32|fixed16": "double_, single and half of field_precision",
}
# A word counts as a part of an identifier too, between underscores.
REFUSED = {re.compile(rf"(?<![A-Za-z])({word})(?![a-z])"): say for word, say in SAY.items()}
FOLDERS = ("include", "src", "reference", "bindings", "benchmarks", "tests", "examples", "apps")
KINDS = (".hpp", ".cpp", ".cu", ".cuh")


def faults(path: Path, root: Path) -> list[str]:
    """Returns one line for each refused word of a file."""
    return [
        f"{path.relative_to(root)}:{number}: {found.group(1)!r}: say {say}"
        for number, line in enumerate(path.read_text().splitlines(), 1)
        for refused, say in REFUSED.items()
        for found in refused.finditer(line)
    ]


def main() -> int:
    root = Path(__file__).resolve().parent.parent
    files = [p for d in FOLDERS for p in sorted((root / d).rglob("*")) if p.suffix in KINDS]
    lines = [line for path in files for line in faults(path, root)]
    print("\n".join(lines) if lines else f"{len(files)} files of C++, no refused word")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
