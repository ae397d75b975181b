"""Records a timeline of the steps that `onehop bench` measures, in steps that it does not time."""

from onehop import _bench, _core
from onehop.cli._shared.option import Options
from onehop.cli.bench.cells import cells
from onehop.trace_file import Event, write_events

_STEPS = 16


def write(context: _core.Context, options: Options) -> None:
    """Records some steps of every cell, one cell after the other; collective."""
    events: list[Event] = []
    dropped = 0
    for cell in cells(options):
        steps, missed = _bench.trace_cell(context, cell, _STEPS)
        begin = min(event[1] for event in steps)
        end = max(event[2] for event in steps)
        events += [(_title(cell), begin, end, 0, -1, 0, -1), *steps]
        dropped += missed
    write_events(context, options.trace, events, dropped)


def _title(cell: _bench.BenchCell) -> str:
    faces = cell.face_bytes
    if cell.pattern == "halo":
        return f"halo, {len(faces)} faces, {sum(faces)} bytes"
    return cell.pattern if cell.pattern == "barrier" else f"{cell.pattern}, {sum(faces)} bytes"
