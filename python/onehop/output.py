"""Prints a command's output and writes its files: they are refused early, and complete or
absent."""

from __future__ import annotations

import contextlib
import functools
import glob
import io
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from onehop._core import Context, FileError, UsageError, barrier, broadcast_text

if TYPE_CHECKING:
    import h5py

# A file that io/staged_file.cpp has not finished begins with as many bytes of its own name.
_STAGED_BYTES = 220


def warn(line: str) -> None:
    print(f"onehop: warning: {line}", file=sys.stderr)


def say_written(name: str | Path, more: str = "") -> None:
    print(f"onehop: wrote {name}{more}", file=sys.stderr)


def write_text(text: str, name: str | None, more: str = "") -> None:
    """Writes a file, complete or not at all, and says so with `more` about it; to standard output
    where the name is None."""
    if name is None:
        sys.stdout.write(text)
        return
    with complete_or_absent(name) as temporary:
        temporary.write_text(text)
    say_written(name, more)


def check_writable(name: str | None) -> None:
    """Raises FileError if `name` could not be written; leaves nothing behind."""
    if name is None or name == "-":
        return
    try:
        path = _place_of(name)
        if path.is_dir() or name.endswith("/"):
            raise FileError(f"cannot write {name}: it is a folder; give a file name")
        # This raises for a name that no file can have, which not every Python says in exists().
        with contextlib.suppress(FileNotFoundError):
            path.lstat()
        # The finished file takes the place of what is there; a device or a pipe must stay.
        if path.exists() and not path.is_file():
            raise FileError(f"cannot write {name}: it is not a regular file; give another name")
        # A write-protected file is refused here, since the system would not refuse it to root.
        if path.exists() and not (os.access(path, os.W_OK) and path.stat().st_mode & 0o222):
            raise FileError(f"cannot write {name}: Permission denied; the file is write-protected")
        descriptor = _open_unnamed(path.parent)
        if descriptor is None:
            _reserve(name).unlink(missing_ok=True)
        else:
            os.close(descriptor)
    except FileError:
        raise  # An OSError too, which says it better.
    except OSError as error:
        raise FileError(f"cannot write {name}: {error.strerror}{_what_to_do(path)}") from None


def cache_folder() -> Path:
    """Returns the folder of files that are kept for this user from run to run."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "onehop"


def make_folder_of_user(folder: Path, variable: str = "XDG_CACHE_HOME") -> None:
    """Makes a folder in which things are kept from run to run. Raises FileError that names the
    `variable` by which the user chooses another."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            f"cannot make the folder {folder}: {error.strerror}; name another one by {variable}"
        ) from None


def check_unused(name: str, instead: str = "or --force to replace it") -> None:
    """Raises FileError if the file `name` already has contents, which may have taken days to
    compute."""
    if Path(name).exists() and Path(name).stat().st_size > 0:
        raise FileError(f"{name} exists; give another name, {instead}")


def _what_to_do(path: Path) -> str:
    return "" if path.parent.exists() else f"; make the folder {path.parent} first"


def check_distinct(inputs: Sequence[str], outputs: dict[str, str | None]) -> None:
    """Raises UsageError when an output would overwrite an input or another output; `outputs` maps
    the option to its file."""
    taken = [("a file that is read", name) for name in inputs]
    for option, name in outputs.items():
        if name is None or name == "-":
            continue
        for owner, other in taken:
            if _same_file(name, other):
                raise UsageError(f"{option} {name} would overwrite {owner}; give another name")
        taken.append((f"the file of {option}", name))


def _same_file(one: str, other: str) -> bool:
    """Returns whether two names are the same file, also by way of a link, and for files that do not
    exist yet."""
    return os.path.realpath(one) == os.path.realpath(other) or (
        Path(one).exists() and Path(other).exists() and Path(one).samefile(other)
    )


def _place_of(name: str) -> Path:
    """Returns where the file comes to lie: a link stays and the file that it leads to is
    replaced."""
    path = Path(name)
    return path.resolve() if path.is_symlink() else path


def job() -> str:
    """Names this job in files that it has not finished. Ranks have the name from their launcher;
    what another program of onehop has in its environment is not taken, since its files are not this
    job's to remove."""
    given = os.environ.get("ONEHOP_JOB")
    return given if given and "ONEHOP_RANK" in os.environ else _own_job()


@functools.cache
def _own_job() -> str:
    return os.urandom(8).hex()


def _name_beside(name: str) -> Path:
    """Returns a name beside `name` that cannot be guessed, for what is renamed to it."""
    path = _place_of(name)
    return path.with_name(f".onehop-{job()}-{os.urandom(4).hex()}{path.suffix}")


def _open_unnamed(folder: Path) -> int | None:
    """Opens a new file in this folder that has no name and is gone with this process, however that
    ends. Returns None if there is none, since not all file systems have such files."""
    with contextlib.suppress(OSError):
        return os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o666)
    return None


def _give_name(descriptor: int, name: str) -> Path:
    """Links such a file to a name beside `name`. Raises OSError."""
    path = _name_beside(name)
    # Only with a folder given does Python follow the link in /proc; an absolute path ignores it.
    os.link(f"/proc/self/fd/{descriptor}", path, src_dir_fd=descriptor)
    return path


def _reserve(name: str) -> Path:
    """Creates a new file beside `name` to be written and then renamed to it.

    No link is followed, so that nothing is overwritten in a folder of other users. Raises OSError.
    """
    temporary = _name_beside(name)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    os.close(os.open(temporary, flags, 0o666))
    return temporary


def _reserve_together(context: Context, name: str) -> Path:
    """Creates the same file for all ranks; collective. Raises FileError on all of them."""
    told = {}
    if context.rank == 0:
        try:
            told["path"] = str(_reserve(name))
        except OSError as error:
            told["why"] = error.strerror
    told = json.loads(broadcast_text(context, json.dumps(told)))
    if "why" in told:
        raise FileError(f"cannot write {name}: {told['why']}")
    return Path(told["path"])


def remove_partial(*names: str | None) -> None:
    """Removes what a rank of this job that was killed could not remove itself."""
    for name in names:
        if name is not None and name != "-":
            for left in _place_of(name).parent.glob(f".onehop-{job()}-*"):
                left.unlink(missing_ok=True)


def remove_staged(name: str, processes: Sequence[int]) -> None:
    """Removes what these processes, now ended, did not finish of a configuration that they
    wrote."""
    path = Path(name).resolve()
    kept = os.fsdecode(os.fsencode(path.name)[:_STAGED_BYTES])
    for process in processes:
        for left in path.parent.glob(f"{glob.escape(kept)}.part-{process}-*"):
            left.unlink(missing_ok=True)


@contextlib.contextmanager
def complete_or_absent(name: str) -> Iterator[Path]:
    """Gives a temporary path, for this process alone, that takes its name at the end, if nothing
    goes wrong; the path itself may lack its ending."""
    temporary = descriptor = None
    try:
        descriptor = _open_unnamed(_place_of(name).parent)
        if descriptor is None:
            temporary = _reserve(name)
        written = temporary or Path(f"/proc/self/fd/{descriptor}")
        yield written
        _bring_to_disk(written)
        if descriptor is not None:
            temporary = _give_name(descriptor, name)
        temporary.replace(_place_of(name))
    except FileError:
        raise
    except OSError as error:
        # NumPy says only in words that a disk had no room for all of an array.
        raise FileError(f"cannot write {name}: {error.strerror or error}") from None
    finally:
        if descriptor is not None:
            os.close(descriptor)
        if temporary is not None:
            temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def complete_together(context: Context, name: str) -> Iterator[Path]:
    """Does what complete_or_absent does, for a file that all ranks write; collective."""
    temporary = _reserve_together(context, name)
    try:
        yield temporary
        _bring_to_disk(temporary)
        barrier(context)
        if context.rank == 0:
            temporary.replace(_place_of(name))
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"cannot write {name}: {error.strerror}") from None
    finally:
        if context.rank == 0:
            temporary.unlink(missing_ok=True)


def _bring_to_disk(path: Path) -> None:
    """Returns when the bytes are on the disk: a name that comes before them would be an empty file
    after a power cut. Some file systems say only here that they have no room. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Hdf5Disk(io.FileIO):
    """Where HDF5 writes. It takes what comes after a failure to write as if it were written, since
    HDF5 ends the process where it cannot empty its caches; `check` raises that failure."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "r+")
        self._failure: OSError | None = None
        self._end = 0

    def check(self) -> None:
        if self._failure is not None:
            raise self._failure

    def write(self, data: memoryview) -> int:
        left = memoryview(data).cast("B")
        size, self._end = left.nbytes, max(self._end, self.tell() + left.nbytes)
        try:
            while left and self._failure is None:
                left = left[super().write(left) :]
        except OSError as error:
            self._failure = error
        return size

    def truncate(self, size: int) -> int:
        self._end = size
        try:
            return size if self._failure else super().truncate(size)
        except OSError as error:
            self._failure = error
            return size

    def readinto(self, buffer: memoryview) -> int:
        if self._failure is None:
            return super().readinto(buffer)
        memoryview(buffer).cast("B")[:] = bytes(memoryview(buffer).nbytes)
        return memoryview(buffer).nbytes

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        if whence == os.SEEK_END:
            return super().seek(self._end + offset)
        return super().seek(offset, whence)


@contextlib.contextmanager
def hdf5_on(disk: Hdf5Disk) -> Iterator[h5py.File]:
    """Gives a new file of HDF5, whole at the end. Raises OSError if the disk has no room."""
    import h5py

    with h5py.File(disk, "w") as file:
        yield file
    disk.check()


@contextlib.contextmanager
def new_hdf5(name: str) -> Iterator[h5py.File]:
    """Gives a file of HDF5 that takes its name at the end, if nothing goes wrong."""
    with (
        complete_or_absent(name) as temporary,
        Hdf5Disk(temporary) as disk,
        hdf5_on(disk) as file,
    ):
        yield file
