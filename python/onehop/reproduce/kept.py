"""Keeps the results of commands, so that a study that runs many of them continues where it was
stopped."""

import functools
import hashlib
import json
import shlex
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import onehop
from onehop.netsim import platform_file


class Kept:
    """The answers in `file`, a line of JSON each behind its digest. An answer is of the words of a
    command, of onehop as it is installed with the programs of its experiments, of the command's
    platform and of those that this one joins. Once one of them changes it is no longer found, and a
    line that is damaged, or was cut off when a run was stopped, never is."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._answers: dict[str, Mapping] = {}
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
        for line in file.read_bytes().splitlines():
            digest, _, answer = line.partition(b" ")
            if digest == _digest(answer):
                self._answers |= json.loads(answer)

    def answer(self, words: Sequence[str], platform: str) -> Mapping | None:
        """Returns the kept result of the command of these words on this platform; None if there
        is none."""
        return self._answers.get(self._key(words, platform))

    def note(self, words: Sequence[str], platform: str, answer: Mapping) -> None:
        line = json.dumps({self._key(words, platform): answer}).encode()
        # The line break before it ends one that was cut off.
        with self._lock, self._file.open("ab") as file:
            file.write(b"\n%s %s" % (_digest(line), line))

    def _key(self, words: Sequence[str], platform: str) -> str:
        key = hashlib.sha256(shlex.join(words).encode())
        key.update(_installed())
        for file in _platforms(platform):
            key.update(file.read_bytes())
        return key.hexdigest()


def _digest(line: bytes) -> bytes:
    return hashlib.sha256(line).hexdigest().encode()


def _platforms(platform: str) -> Iterator[Path]:
    if not platform:
        return
    yield platform_file.find(platform)
    for file, *_ in platform_file.networks_of(platform):
        yield platform_file.find(file)


@functools.cache
def _installed() -> bytes:
    """Returns a digest of the modules of onehop, compiled and not."""
    digest = hashlib.sha256()
    for file in sorted(Path(onehop.__file__).parent.rglob("*")):
        if file.suffix in (".py", ".so"):
            digest.update(file.read_bytes())
    return digest.digest()
