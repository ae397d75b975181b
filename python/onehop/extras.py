"""Parts of onehop need packages that come with extras, or modules that were left out of a build."""

import importlib.util

from onehop._core import UsageError

_EXTRA = {"matplotlib": "plot", "h5py": "hdf5", "scipy": "fit", "jinja2": "report"}
_DRAWN = ("Propagator", "Mesons", "Baryons", "Jackknife", "GammaEstimate", "flow")
_NEEDED = {
    **{f"{what}.plot": ("matplotlib",) for what in _DRAWN},
    "fit": ("scipy",),
    "scale": ("scipy",),
    "report": ("matplotlib", "scipy", "jinja2"),
    "--plot": ("matplotlib",),
    "--hdf5": ("h5py",),
    "HDF5 files": ("h5py",),
}
# A build without ONEHOP_PROGRAMS, as that of `make demo`, lacks these, which the commands need.
_OF_PROGRAMS = {"bench": "onehop._bench", "tune": "onehop._bench", "app": "onehop._apps"}


def require(user: str) -> None:
    """Raises UsageError if something is missing that a command or an option needs."""
    module = _OF_PROGRAMS.get(user)
    if module is not None and importlib.util.find_spec(module) is None:
        raise left_out(f"onehop {user}")
    for package in _NEEDED.get(user, ()):
        if importlib.util.find_spec(package) is None:
            raise missing(user, package)


def missing(user: str, package: str | None) -> UsageError | None:
    """Returns the message about a package that was not found, if an extra has it."""
    package = (package or "").partition(".")[0]
    extra = _EXTRA.get(package)
    if extra is None:
        return None
    return UsageError(
        f"{user} needs {package}, which is not installed: pip install {package}, or install onehop "
        f"with its extra {extra} (pip install '.[{extra}]')"
    )


def left_out(what: str) -> UsageError:
    """Returns the message about a part that this installation was made without."""
    return UsageError(
        f"{what} is not part of this installation, which was made without applications, benchmarks "
        "and MPI library; make install, or pip install ., makes one with them"
    )
