"""`onehop-mpifort` compiles programs of MPI in Fortran, as `mpicc_abi` does those in C.

A compiler's files of modules are its own, so that those of MPI are compiled once with the user's.
"""

import hashlib
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import onehop
from onehop import extras, mpi_abi
from onehop._core import Error, UsageError
from onehop.output import cache_folder, make_folder_of_user

_FILES = ("mpif.h", "mpi.f90", "mpi_f08.f90")
# With these a compiler does not link.
_NO_PROGRAM = {"-c", "-E", "-S", "-M", "-MM", "-fsyntax-only"}


def entry() -> None:
    """Becomes the compiler; `-show` prints what it would be called with."""
    words = sys.argv[1:]
    try:
        command = compiling([word for word in words if word not in ("-show", "-showme")])
    except Error as error:
        print(f"onehop-mpifort: {error}", file=sys.stderr)
        sys.exit(2)
    if {"-show", "-showme"} & set(words):
        print(shlex.join(command))
        return
    os.execvp(command[0], command)


def compiling(words: Sequence[str]) -> list[str]:
    """Returns the call of the compiler that does what `words` say, with MPI. Raises UsageError
    if there is no compiler, or if it does not compile the modules."""
    compiler = os.environ.get("ONEHOP_FC") or "gfortran"
    version = _version(compiler)
    include = Path(onehop.__file__).parent / "include" / "mpi_fortran"
    if not include.exists():
        raise extras.left_out("Fortran of MPI")
    modules = _modules(compiler, version, include)
    # Memory of any type goes to one function, which compilers of GNU refuse since version 10.
    loose = ["-fallow-argument-mismatch"] if "GNU Fortran" in version else []
    command = [compiler, *loose, f"-I{include}", f"-I{modules}", *words]
    asks_only = all(word.startswith("-") for word in words)
    if asks_only or _NO_PROGRAM & set(words):
        return command
    library = mpi_abi.fortran_library()
    folders = (library.parent, mpi_abi.library().parent)
    paths = [f"-Wl,-rpath,{folder}" for folder in folders]
    return [
        *command,
        *(str((modules / name).with_suffix(".o")) for name in _FILES[1:]),
        *(f"-L{folder}" for folder in folders),
        *("-Wl,--enable-new-dtags", *paths, f"-l:{library.name}", f"-l:{mpi_abi.library().name}"),
    ]


def _version(compiler: str) -> str:
    try:
        said = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        why = getattr(error, "strerror", None) or f"{compiler} --version fails"
        raise UsageError(
            f"cannot call the compiler {compiler}: {why}; install a Fortran compiler, or name one "
            "in ONEHOP_FC"
        ) from None
    return said.stdout


def _modules(compiler: str, version: str, include: Path) -> Path:
    """Returns the folder of the compiler's own files of the modules."""
    sources = [include / name for name in _FILES]
    said = "\0".join((compiler, version, *(source.read_text() for source in sources)))
    name = hashlib.sha256(said.encode()).hexdigest()[:16]
    folder = cache_folder() / "fortran" / name
    if folder.exists():
        return folder
    make_folder_of_user(folder.parent)
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        place = Path(made) / name
        place.mkdir()
        words = [compiler, "-O1", "-fPIC", f"-I{include}", "-c", *map(str, sources[1:])]
        done = subprocess.run(words, cwd=place, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
            raise UsageError(f"{compiler} does not compile the modules of MPI: {last}")
        try:
            place.rename(folder)
        except OSError:
            if not folder.exists():  # Another call was faster.
                raise
    return folder
