"""Says what limited the ranks of a virtual machine: the key `virtual` of a record, and lines on
stderr."""

import sys

from onehop import _core
from onehop.cli._shared.option import Options

_LINES = 5


def between(
    before: _core.VirtualAccounts, after: _core.VirtualAccounts, ranks: int
) -> dict[str, object]:
    """Returns for a cell the shares of its time for which stages were busy, in the mean over its
    ranks, and its busiest link; checks and pauses of the cell are in its time."""
    time = max(after.now_ps - before.now_ps, 1)
    known = {stage.name: stage.busy_ps for stage in before.stages}
    # A stage that only delays occupies nothing.
    busy = {
        stage.name: stage.busy_ps - known.get(stage.name, 0)
        for stage in after.stages
        if stage.busiest_node_ps > 0
    }
    links = after.links()
    taken = links["busy_ps"] - before.links()["busy_ps"]
    busiest = int(taken.argmax()) if len(taken) else -1
    found: dict[str, object] = {
        "stage_shares": {name: ps / time / ranks for name, ps in busy.items() if ps > 0},
        "busiest_link": None,
    }
    if busiest >= 0 and taken[busiest] > 0:
        ends = int(links["origin"][busiest]), int(links["target"][busiest])
        found["busiest_link"] = {"from": ends[0], "to": ends[1], "share": taken[busiest] / time}
    return {"virtual": found}


def tell(record: dict, options: Options) -> None:
    """Prints on standard error, with --verbose."""
    if not options.verbose or "virtual" not in record:
        return
    found = record["virtual"]
    bound = found["bounded_by"]
    lines = [
        f"{found['virtual_time_us']:.2f} us of virtual time; bounded by {bound['what']}, busy for "
        f"{bound['share']:.0%} of it"
    ]
    stages = sorted(found["stages"], key=lambda stage: -stage["share"])
    lines += [
        f"stage {stage['name']}: busy {stage['share']:.1%} on its busiest node, longest wait "
        f"{stage['longest_wait_us']:.2f} us"
        for stage in stages[:_LINES]
    ]
    lines += [
        f"link {link['from']} to {link['to']}: busy {link['share']:.1%}, deepest queue "
        f"{link['deepest_queue']}"
        for link in found["links"][:_LINES]
    ]
    lines += [
        f"{sample['size_bytes']} bytes: {sample['channel']}"
        for sample in record.get("samples", ())
        if sample.get("channel") and record["pattern"] in ("allreduce", "allgather", "broadcast")
    ]
    for line in lines:
        print(f"onehop: {line}", file=sys.stderr)
