"""Parts of onehop need packages that come with extras."""

from __future__ import annotations

import importlib.util

from onehop._core import UsageError

_EXTRA = {"matplotlib": "plot", "h5py": "hdf5", "scipy": "fit", "jinja2": "report"}
_NEEDED = {
    "fit": ("scipy",),
    "scale": ("scipy",),
    "report": ("matplotlib", "scipy", "jinja2"),
    "--plot": ("matplotlib",),
    "Propagator.plot": ("matplotlib",),
    "--hdf5": ("h5py",),
    "HDF5 files": ("h5py",),
}


def require(user: str) -> None:
    """Raises UsageError where a package is missing that a command or an option needs."""
    for package in _NEEDED.get(user, ()):
        if importlib.util.find_spec(package) is None:
            raise missing(user, package)


def missing(user: str, package: str | None) -> UsageError | None:
    """Returns what to say of a package that was not found, if an extra has it."""
    package = (package or "").partition(".")[0]
    extra = _EXTRA.get(package)
    if extra is None:
        return None
    return UsageError(
        f"{user} needs {package}, which is not installed: pip install {package}, or install onehop "
        f"with its extra {extra} (pip install '.[{extra}]')"
    )
