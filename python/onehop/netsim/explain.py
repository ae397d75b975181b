"""Explains a machine: the steps of one put with the cost of each, and a picture."""

import math
from pathlib import Path

from onehop.counted import by_x
from onehop.netsim import closed_form, switch_levels
from onehop.netsim.closed_form import Transfer
from onehop.netsim.description import describe
from onehop.netsim.platform import Platform, numbers_of
from onehop.netsim.platform_tables import OPERATIONS, Protocol, Wire
from onehop.netsim.quantity import Quantity
from onehop.netsim.stage_cost import Step
from onehop.netsim.stage_tables import Stage
from onehop.text_table import aligned

_HEADS = ("step", "where", "unit", "delay (us)", "taken (us)", "state", "about")
_ORDER = {"published": 0, "read off": 1, "derived": 2, "fitted": 3, "assumed": 4}


def table(platform: Platform, size_bytes: int = 4096, variant: str = "") -> str:
    """Returns text: what the machine is, its protocols, and for every one of the chosen variant the
    steps of a put of `size_bytes`, or of the largest size that takes it."""
    lines = [f"# {platform.name}: {platform.title}", platform.about, ""]
    lines += [_network(platform), *_switches(platform), ""]
    lines += [*_options(platform), ""]
    for row in platform.protocols:
        if row.variant == (variant or platform.variant):
            lines += _put(platform, row, size_bytes)
    lines += _collectives(platform, variant or platform.variant)
    return "\n".join(lines)


def _collectives(platform: Platform, variant: str) -> list[str]:
    """Returns which schedule each collective takes up to which size of what a rank has at the
    end."""
    rows = []
    for name, found in platform.algorithms.items():
        if found.variant == variant:
            most = "any size" if found.most is None else f"up to {int(found.most)} B"
            shape = {"fan": found.fan, "segment": found.segment}
            how = found.schedule
            how += "".join(f", {key} {int(n)}" for key, n in shape.items() if n is not None)
            copied = {"whole": ", through the hosts", "parts": ", through the hosts in parts"}
            how += copied.get(found.staging, "") if found.memory != "host" else ""
            of = f"{found.of} of {found.memory} memory" if found.memory else found.of
            rows.append((of, most, how, f"algorithm.{name}"))
    schedules = {name: getattr(platform.collective(variant), name) for name in OPERATIONS}
    rows += [
        (operation, "any size", schedule, f"collective.{variant}")
        for operation, schedule in schedules.items()
        if schedule
    ]
    if not rows:
        return []
    title = "collectives, by the bytes that a rank has at the end; the first that fits:"
    return [title, aligned(rows, indent=2), ""]


def _options(platform: Platform) -> list[str]:
    """Returns the chosen options, the other choices, and how to choose them."""
    shown = [("variant", "of the protocols", platform.variants(), platform.variant)]
    shown += [
        (key, option.about, option.choice, platform.chosen[key])
        for key, option in platform.options.items()
    ]
    rows = []
    for key, about, choices, value in shown:
        others = ", ".join(c for c in choices if c != value)
        rows.append((f"{key}={value}", f"{about} (or {others})" if others else about))
    numbers = {k: v for k, v in platform.chosen.items() if k not in (*platform.options, "variant")}
    rows += [(f"{key}={value}", "") for key, value in numbers.items()]
    return ["options, to be changed by --platform-set KEY=VALUE:", aligned(rows, indent=2)]


def _network(platform: Platform) -> str:
    parts = []
    for fabric in platform.fabrics.values():
        wire = fabric.wire()
        shape = by_x(fabric.extents)
        name = f"{fabric.name}: " if fabric.name else ""
        parts.append(
            f"{name}{fabric.kind} of {shape} nodes (at most {fabric.nodes_most}), links of"
            f" {wire.rate}, packets of {wire.packet}"
        )
    return "; ".join(parts)


def _switches(platform: Platform) -> list[str]:
    """Returns the levels of the switches of the first network, for all its nodes."""
    extents = [int(n) for n in platform.fabric.extents]
    machine = describe(platform, math.prod(extents), extents)
    if not switch_levels.has_switches(machine):
        return []
    return ["", "switches:", switch_levels.lay_out(machine, machine.links()).table()]


def size_shown(platform: Platform, row: Protocol, size_bytes: int) -> int:
    """Returns `size_bytes`, or the nearest size at which `row` is taken; -1 where others go before
    it."""
    least, most = int(row.least), size_bytes if row.most is None else int(row.most)
    pieces = 2 if row.shape == "strided" else 1
    for size in (min(max(size_bytes, least), most), most, max(least, 2 * size_bytes)):
        sizes = [size, 8 * size, 64 * size, 4096 * size] if row.most is None else [size]
        for one in sizes:
            found = platform.protocol_for(
                one,
                row.origin_memory,
                row.target_memory,
                row.variant,
                pieces,
                is_near=row.within is not None,
                on_one_node=row.on_one_node,
            )
            if found.name == row.name:
                return one
    return -1


def _put(platform: Platform, row: Protocol, size_bytes: int) -> list[str]:
    size = size_shown(platform, row, size_bytes)
    if size < 0:
        return [f"{row.name}: other protocols go before it with these options", ""]
    found = closed_form.transfer(
        platform,
        size,
        row.origin_memory,
        row.target_memory,
        variant=row.variant,
        pieces=2 if row.shape == "strided" else 1,
        is_near=row.within is not None,
        on_one_node=row.on_one_node,
    )
    title = f"{row.name}: {size} bytes from {row.origin_memory} to {row.target_memory}"
    if row.within:
        title += f" within {row.within} ranks"
    if row.on_one_node:
        title += " of one node"
    steps = aligned((_cells(platform, step) for step in found.steps), _HEADS, indent=2)
    head = f"{title}, {found.total_ps / 1e6:.3f} us, bound by {found.bound_by}"
    return [head, steps, *_rest(platform, row, found), ""]


def _rest(platform: Platform, row: Protocol, found: Transfer) -> list[str]:
    lines = []
    for word in ("request", "grant", "credit", "notice"):
        if name := getattr(row, word):
            time = closed_form.control_ps(platform, name) / 1e6
            is_ahead = word == "credit" or (word == "grant" and not row.request)
            when = "ahead" if is_ahead else "with it"
            lines.append(f"  {word} by {name}, {when}: {time:.3f} us")
    lines.append(f"  buffer free again after {found.local_ps / 1e6:.3f} us")
    return lines


def _cells(platform: Platform, step: Step) -> tuple[str, ...]:
    return (
        step.name,
        step.side,
        step.unit,
        f"{step.delay_ps / 1e6:.3f}",
        f"{step.busy_ps / 1e6:.3f}",
        _states(platform, step),
        step.about,
    )


def _states(platform: Platform, step: Step) -> str:
    """Returns the states of the numbers behind a step, best known first."""
    stage = platform.stages.get(step.name)
    numbers = numbers_of(platform.fabric.wire() if stage is None else stage)
    return ", ".join(sorted({number.state for _, number in numbers}, key=_ORDER.get))


_COLOURS = {
    "published": "#2b7a3d",
    "read off": "#5b8c2a",
    "derived": "#2a8c7d",
    "fitted": "#1f5fa8",
    "assumed": "#b26a00",
}


def write_picture(platform: Platform, path: Path) -> None:
    """Draws two nodes with their stages along every path of the machine's variant, and the
    network between them; the colour of a box is the state of the number that it shows."""
    from matplotlib.lines import Line2D

    from onehop.figures import new_figure, save

    rows = paths_shown(platform)
    most = max(len(platform.paths[p].origin) + len(platform.paths[p].target) + 1 for p in rows)
    panels, axes = new_figure(figsize=(1.9 + 1.35 * most, 1.2 + 0.7 * len(rows)))
    for number, name in enumerate(rows):
        _draw_path(axes, platform, name, -number)
    axes.set_xlim(-1.25, most - 0.4)
    axes.set_ylim(-len(rows) + 0.3, 0.95)
    axes.set_axis_off()
    networks = _network(platform).replace("; ", "\n")
    axes.set_title(f"{platform.name}: {platform.title}\n{networks}", fontsize=9)
    handles = [Line2D([], [], color=c, lw=3, label=s) for s, c in _COLOURS.items()]
    axes.legend(handles=handles, loc="upper right", ncols=3, fontsize=7, frameon=False)
    hint = "round: whole messages, square: packets; left of the wire the origin, right the target"
    axes.text(-0.55, 0.72, hint, fontsize=7, ha="left", va="center", color="#555555")
    save(panels, path, text_stays_text=True)


def paths_shown(platform: Platform) -> list[str]:
    rows = [row.path for row in platform.protocols if row.variant == platform.variant]
    return list(dict.fromkeys(rows))


def _draw_path(axes: object, platform: Platform, name: str, level: float) -> None:
    path = platform.paths[name]
    wire = f"wire{': ' + path.fabric if path.fabric else ''}"
    names = [*path.origin, wire, *path.target]
    axes.text(-0.55, level, name, ha="right", va="center", fontsize=8)
    before = None
    for place, stage in enumerate(names):
        is_wire = place == len(path.origin)
        side = "origin" if place < len(path.origin) else "target"
        known = platform.stages.get(stage) if not is_wire else None
        shown = _main_number(known or platform.fabrics[path.fabric].wire())
        fill = "#e8e8e8" if is_wire else "#f6f9ff" if side == "origin" else "#fff8f0"
        box = {
            "boxstyle": "round,pad=0.35" if known and known.is_per_message else "square,pad=0.35",
            "facecolor": fill,
            "edgecolor": _COLOURS[shown.state],
            "linewidth": 1.6,
        }
        text = f"{stage}\n{shown}"
        drawn = axes.text(place, level, text, ha="center", va="center", fontsize=7, bbox=box)
        if before is not None:
            # An arrow goes from the edge of one box to the edge of the next, however wide they are.
            arrow = {"arrowstyle": "->", "color": "#555555", "shrinkA": 2, "shrinkB": 1}
            arrow |= {"patchA": before.get_bbox_patch(), "patchB": drawn.get_bbox_patch()}
            axes.annotate("", (place, level), (place - 1, level), arrowprops=arrow)
        before = drawn


def _main_number(table: Stage | Wire) -> Quantity:
    numbers = {key: number for (key,), number in numbers_of(table)}
    for key in ("cost", "per_chain", "setup", "launch", "write", "hit", "miss", "rate"):
        if numbers.get(key, 0) > 0:
            return numbers[key]
    return next(iter(numbers.values()))
