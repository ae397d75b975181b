"""Commands that also run on virtual machines have these options."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from onehop import netsim, output, virtual
from onehop._core import UsageError
from onehop.cli._shared.option import Options
from onehop.counted import counted
from onehop.netsim import placement

if TYPE_CHECKING:
    from onehop.netsim import Platform

REAL_TRANSPORTS = ("auto", "self", "shm", "mixed", "mpi_p2p", "mpi_rma")


def wire(text: str) -> str:
    """Reads a transport: 'shm' or 'virtual:PLATFORM'."""
    if virtual.is_virtual(text):
        if text == virtual.PREFIX:
            raise ValueError("a platform is needed after virtual:, as in virtual:apenet-v4")
        return text
    if text not in REAL_TRANSPORTS:
        from onehop.nearest import nearest
        from onehop.netsim import shipped

        # A platform behind the colon would hide which word was meant.
        hint = nearest(text.partition(":")[0], (*REAL_TRANSPORTS, "virtual"))
        hint = hint.replace("virtual?", "virtual:PLATFORM?")
        if text in shipped() or text.endswith(".toml"):
            hint = f"; did you mean {virtual.PREFIX}{text}?"
        all_words = f"; choose {', '.join(REAL_TRANSPORTS)} or virtual:PLATFORM"
        raise ValueError(f"this wire is not known{hint or all_words}")
    return text


def settings(text: str) -> dict[str, str]:
    """Reads 'nic.rx.translation=nios,variant=staged' as a dictionary."""
    found = {}
    for part in text.split(","):
        key, equals, value = part.partition("=")
        if not (key and equals and value):
            raise ValueError("KEY=VALUE is needed, several with commas between")
        found[key] = value
    return found


def machine_of(
    options: Options, *, computes: bool = False, devices: bool = False
) -> Platform | None:
    """Returns the virtual machine that the options name, or None for another transport, on which
    options of virtual machines are refused.

    With `computes`, a warning says if the machine's processors take no time. With `devices`,
    --memory has a meaning on this machine too, and has been checked.
    """
    if virtual.is_virtual(options.transport):
        from onehop.netsim import plausibility

        machine = _load(options)
        machine.check_nodes(options.ranks or 1)
        machine.check_room(options.memory or "host")
        plausibility.warn_of_own(machine)
        free = machine.free_compute(options.memory) if computes else None
        if free:
            output.warn(free)
        return machine
    virtual_only = ("platform_set", "hosts", "one_buffer", "loop_back")
    for name in virtual_only if devices else ("memory", *virtual_only):
        if getattr(options, name, None):
            raise UsageError(
                f"--{name.replace('_', '-')} is for virtual machines; "
                "add --transport virtual:PLATFORM"
            )
    return None


def _load(options: Options) -> Platform:
    machine = netsim.load(options.transport.removeprefix(virtual.PREFIX), options.platform_set)
    hosts, one_buffer = getattr(options, "hosts", None), getattr(options, "one_buffer", False)
    loop_back = getattr(options, "loop_back", False)
    if loop_back and hosts:
        raise UsageError("--loop-back has all ranks on host 1; leave --hosts out")
    if loop_back:
        hosts = [1] * options.ranks
    found = placement.hosts(hosts, math.prod(machine.fabric.extents), options.ranks)
    if found or one_buffer:
        machine = machine.used(found, one_buffer=one_buffer, loop_back=loop_back)
    # Those at random are all that the machine has.
    if placement.is_for_each(hosts) and options.ranks and len(found) > options.ranks:
        raise UsageError(
            f"--hosts has {counted(len(found), 'host')} for {counted(options.ranks, 'rank')}; give "
            "one for each"
        )
    return machine
