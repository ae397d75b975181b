"""TOML files of one kind: those that come with onehop, by name, and the user's, by path."""

import copy
import functools
import sys
from pathlib import Path

from onehop._core import FileError, UsageError
from onehop.nearest import nearest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class ShippedFiles:
    """Messages call what a file describes `noun`, and the file itself `kind`."""

    def __init__(self, noun: str, kind: str, folder: str) -> None:
        self._noun, self._kind = noun, kind
        self._folder = Path(__file__).parent / folder

    def names(self) -> list[str]:
        return sorted(path.stem for path in self._folder.glob("*.toml"))

    def find(self, name: str) -> Path:
        """Returns the path of a file; raises UsageError and FileError if there is none."""
        path = Path(name)
        if path.suffix == ".toml" or "/" in name:
            if not path.is_file():
                raise FileError(f"cannot read {self._kind} {name}: no such file")
            return path
        known = self.names()
        if name not in known:
            if Path(f"{name}.toml").is_file():
                raise UsageError(f"unknown {self._noun} {name!r}; did you mean {name}.toml?")
            hint = nearest(name, known) or f"; choose {', '.join(known)}, or a .toml file"
            raise UsageError(f"unknown {self._noun} {name!r}{hint}")
        return self._folder / f"{name}.toml"

    def read(self, path: Path) -> dict:
        """Reads the tables as TOML gives them; raises FileError with file and line."""
        try:
            return copy.deepcopy(_parsed(path.read_bytes()))
        except OSError as error:
            raise FileError(f"cannot read {self._kind} {path}: {error.strerror}") from None
        except (ValueError, RecursionError) as error:
            raise FileError(f"{self._kind} {path}: not TOML: {error}") from None


# Studies run thousands of commands in a process, and parsing is most of the load of a machine.
@functools.lru_cache(maxsize=32)
def _parsed(content: bytes) -> dict:
    return tomllib.loads(content.decode("utf-8-sig"))
