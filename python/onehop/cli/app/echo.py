"""The options of `onehop app echo`."""

from onehop.cli._shared import options as shared
from onehop.cli._shared.lists import names, sizes_or_range
from onehop.cli._shared.option import option
from onehop.cli._shared.values import Parsed, Whole
from onehop.cli.app.application import application

VARIANTS = ("transfer", "copy", "kernel")


def sizes(text: str) -> list[int]:
    """Reads '32,2048', '32:2048' or '32:2KiB', each size once; raises ValueError."""
    found = list(dict.fromkeys(sizes_or_range(text)))
    if any(size % 8 or size > 2**31 for size in found):
        raise ValueError("multiples of 8 up to 2^31 are needed")
    return found


def variants(text: str) -> list[str]:
    """Reads 'transfer,kernel'; raises ValueError."""
    found = names(text)
    for name in found:
        if name not in VARIANTS:
            from onehop.nearest import nearest

            hint = nearest(name, VARIANTS) or f"; choose {', '.join(VARIANTS)}"
            raise ValueError(f"{name} is not a variant{hint}")
    return found


COMMAND = application(
    "echo",
    [
        option(
            "--sizes",
            "Bytes to send, as 32,24KiB, or doubling as 32:2KiB.",
            Parsed(sizes),
            "LIST",
            default="32:2048",
        ),
        option(
            "--answer-bytes",
            "Bytes of an answer that a kernel makes (default: as many as are sent).",
            Whole(8),
            "M",
        ),
        option(
            "--variants",
            "What the receiver does before it answers: nothing (transfer), copies the words, or "
            "copies them and runs a kernel on them.",
            Parsed(variants),
            "LIST",
            default="transfer,copy,kernel",
        ),
        option(
            "--rounds", "Round trips to measure for each size and variant.", Whole(1), default=1000
        ),
    ],
    memory=shared.MEMORY(
        type=("host", "device", "device-host", "host-device"),
        help="Where a virtual machine has windows and sources: host, device for both, or "
        "source-window; and which processor's time counts, that of the sources (default: host).",
    ),
    plot="times by size",
    usage="[options]",
    notes="A transmitter sends N words to a receiver, which answers with words. The time is from "
    "the first start to the arrival of the answer, by the transmitter's clock. Two put "
    "chains, committed once, carry the words. The check: every word is right, there and "
    "back.",
    examples=(
        "onehop app echo --plot echo.png",
        "onehop app echo --sizes 32,2048 --transport virtual:apenet-v4 --memory device",
    ),
)
