"""Options of commands that also run on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onehop import _core, virtual
from onehop._core import UsageError
from onehop.cli.options import Option

if TYPE_CHECKING:
    import types

DEVICE = Option(
    "--device",
    "where kernels run: cores of the host, or a CUDA device for each rank",
    default="host",
    choices=("host", "cuda"),
)
SHARE_DEVICE = Option(
    "--share-device", "several ranks of a machine may compute on one device", is_flag=True
)


def check(options: types.SimpleNamespace) -> None:
    """Refuses a device that is not there before any rank starts."""
    if options.device == "host":
        if options.share_device:
            raise UsageError("--share-device is for --device cuda")
        return
    if virtual.is_virtual(options.transport):
        raise UsageError(
            f"--device cuda computes on a device of this machine, not of {options.transport}; use "
            "another --transport"
        )
    problem = _core.inspect_cuda().problem
    if problem:
        raise UsageError(f"--device cuda: {problem}; use --device host")
