"""Checks the device of commands that also run on a GPU."""

from onehop import _core, virtual
from onehop._core import UsageError
from onehop.cli._shared.option import Options


def check(options: Options) -> None:
    """Refuses, before any rank starts, a device that is not there."""
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
