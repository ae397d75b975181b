"""Places the bytes of `onehop bench` in memory of the host, of a virtual GPU or of a device."""

from onehop import _bench, _core, virtual
from onehop._core import UsageError
from onehop.cli._shared.option import Options
from onehop.cli.bench.patterns import ON_DEVICES

# These patterns move or touch bytes in ways that are for the host alone.
_OF_HOSTS = (
    ("against", "none"),
    ("check", "outside"),
    ("channels", 1),
    ("rotate", 0),
    ("pack", None),
    ("early", False),
    ("trace", None),
)


def on_devices(options: Options) -> bool:
    """Returns whether some of the bytes lie in memory of devices of this machine."""
    return not virtual.is_virtual(options.transport) and "device" in (options.memory or "")


def check(options: Options) -> None:
    """Refuses options that have no meaning there, and devices that are not there, before any rank
    starts."""
    apart = "-" in (options.memory or "")
    if (apart or on_devices(options)) and options.pattern not in ON_DEVICES:
        raise UsageError(
            f"--memory {options.memory} is for {', '.join(ON_DEVICES)}, not {options.pattern}"
        )
    if not on_devices(options):
        if options.share_device and options.pattern in ON_DEVICES:
            raise UsageError("--share-device is for --memory device and --device cuda")
        return
    for name, usual in _OF_HOSTS:
        if getattr(options, name) != usual:
            raise UsageError(f"--{name} is for memory of the host; leave it or --memory out")
    try:
        _core.count_devices()
    except UsageError as missing:
        raise UsageError(f"--memory {options.memory}: {missing}") from None


def place(cell: _bench.BenchCell, options: Options) -> None:
    """Tells a cell where its bytes lie."""
    if not on_devices(options):
        return
    cell.source_on_device = options.memory in ("device", "device-host")
    cell.window_on_device = options.memory in ("device", "host-device")
    cell.share_device = options.share_device
