"""Says which program a recording is of, so that none is replayed against another one's code."""

import hashlib
import shutil
from collections.abc import Sequence
from pathlib import Path

from onehop.output import cache_folder


def code_of(words: Sequence[str]) -> str:
    """Returns a digest of the program and of the files among its arguments, as a script of
    Python's; what these load themselves is not looked at."""
    found = hashlib.sha256()
    words = (shutil.which(words[0]) or words[0], *words[1:])
    for path in filter(_is_file, map(Path, words)):
        with path.open("rb") as file:
            while part := file.read(1 << 20):
                found.update(part)
            found.update(file.tell().to_bytes(8, "little"))
    return found.hexdigest()


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        # A program in an argument is too long for the name of a file.
        return False


def kept_recording(words: Sequence[str], ranks: int, *, mpi: bool) -> Path:
    """Returns where the recording of this program is kept, in the user's cache folder: other code,
    other arguments and other numbers of ranks have files of their own."""
    kind = "mpi" if mpi else "onehop"
    said = "\0".join((code_of(words), kind, str(ranks), *words)).encode(errors="surrogateescape")
    name = f"{Path(words[0]).name}-{ranks}-{hashlib.sha256(said).hexdigest()[:16]}.jsonl"
    return cache_folder() / "recordings" / name
