"""A fit as a platform file: two nodes or more, any to any, with the fitted times between them.

Each stage or segment becomes one row of the protocol table: a latency, then a server that takes
every message in turn. Rows change at the sizes where the model changes from one to the other, for
stages on the number of channels in the middle of those measured; on others the file is exact as
far as the same stage rules. [branch.fitted] holds the stages as they are.
"""

from __future__ import annotations

import dataclasses
import math
import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from onehop.perfmodel.fit import Fit

_NODES_MOST = 1024
# So far above the fitted rates that the wire itself takes no time.
_WIRE_TIMES_FASTER = 1e4


@dataclasses.dataclass(frozen=True)
class _Row:
    """Rules messages up to `most` bytes; `rate` is infinite where bytes cost nothing."""

    latency_us: float
    each_us: float
    rate_mbps: float
    most: int | None


def platform_toml(fit: Fit, name: str) -> str:
    """The text of a platform file that netsim.load takes."""
    rows = _stage_rows(fit) if fit.stages else _segment_rows(fit)
    about = f"{fit.model} fitted to {fit.observations.name or 'points'}"
    source = f"onehop fit, score {100 * fit.score:.1f}%"
    rates = [row.rate_mbps for row in rows if math.isfinite(row.rate_mbps)]
    wire = _WIRE_TIMES_FASTER * max(rates, default=1000.0)
    parts = [
        f"# {about}. Written by onehop fit.",
        "format = 1",
        f'name = "{slug(name)}"',
        f'title = "{_plain(about)}"',
        'about = "Times between two ranks, as fitted; the wire itself costs nothing."',
        'variant = "direct"',
        "",
        "[topology]",
        'kind = "all-to-all"',
        f"extents = {{ {_value([2], 'nodes', 'assumed', 'a pair was measured')} }}",
        f"nodes_most = {{ {_value(_NODES_MOST, 'nodes', 'assumed', 'pairs do not disturb')} }}",
        "",
        "[wire]",
        f"rate = {{ {_value(wire, 'MB/s', 'assumed', 'within the fitted stages')} }}",
        f"packet = {{ {_value(4096, 'byte', 'assumed', 'any')} }}",
        f"latency = {{ {_value(0.0, 'us', 'assumed', 'within the fitted stages')} }}",
    ]
    for number, row in enumerate(rows, 1):
        parts += _tables(number, row, source)
    parts += _branches(fit, source)
    parts += ["", "[collective.direct]", 'allreduce = "recursive-doubling"']
    parts += ['allgather = "recursive-doubling"', 'broadcast = "binomial"']
    parts += ['alltoall = "pairwise"', 'barrier = "dissemination"']
    return "\n".join(parts) + "\n"


def slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "fitted"


def _stage_rows(fit: Fit) -> list[_Row]:
    """In the order in which stages rule as messages grow."""
    channels = np.unique(fit.observations.channels)
    many = float(np.sqrt(channels[0] * channels[-1]))
    sizes = np.unique(np.round(np.geomspace(1, max(fit.observations.size_bytes.max(), 2), 4000)))
    each = [s.lambda_us + many * (s.tau_us + sizes / s.beta_MBps) for s in fit.stages]
    owner = np.argmax(each, axis=0)
    order = list(dict.fromkeys(owner.tolist()))
    rows = []
    for place, index in enumerate(order):
        stage = fit.stages[index]
        last = place == len(order) - 1
        most = None if last else int(sizes[owner == index].max())
        rows.append(_Row(stage.lambda_us, stage.tau_us, float(stage.beta_MBps), most))
    return rows


def _segment_rows(fit: Fit) -> list[_Row]:
    rows = []
    for line, following in zip(fit.lines, (*fit.lines[1:], None), strict=True):
        most = None
        if following is not None:
            pair = max(line.segment.most_bytes, 1) * following.segment.least_bytes
            most = int(math.sqrt(pair))
        rows.append(_Row(line.segment.fixed_us, 0.0, float(line.rate_MBps), most))
    return rows


def _tables(number: int, row: _Row, source: str) -> list[str]:
    lines = [
        "",
        f"[stage.latency-{number}]",
        'kind = "event"',
        f"write = {{ {_value(row.latency_us, 'us', 'fitted', source)} }}",
        "",
        f"[stage.server-{number}]",
        'kind = "software"',
        'unit = "server"',
        f"cost = {{ {_value(row.each_us, 'us', 'fitted', source)} }}",
    ]
    if math.isfinite(row.rate_mbps):
        lines.append(f"rate = {{ {_value(row.rate_mbps, 'MB/s', 'fitted', source)} }}")
    lines += [
        "",
        f"[path.way-{number}]",
        f'origin = ["server-{number}"]',
        f'target = ["latency-{number}"]',
    ]
    for memory in ("host", "device"):
        lines += [
            "",
            f"[protocol.{memory}-{number}]",
            'variant = "direct"',
            f'from = "{memory}"',
            f'to = "{memory}"',
            f'path = "way-{number}"',
        ]
        if row.most is not None:
            lines.append(f"most = {{ {_value(row.most, 'byte', 'fitted', source)} }}")
    return lines


def _branches(fit: Fit, source: str) -> list[str]:
    """The stages as they are, for the closed form."""
    lines = []
    for number, stage in enumerate(fit.stages, 1):
        if not math.isfinite(stage.beta_MBps):
            continue
        lines += [
            "",
            f"[branch.fitted.stage-{number}]",
            f"lambda = {{ {_value(stage.lambda_us, 'us', 'fitted', source)} }}",
            f"tau = {{ {_value(stage.tau_us, 'us', 'fitted', source)} }}",
            f"beta = {{ {_value(float(stage.beta_MBps), 'MB/s', 'fitted', source)} }}",
        ]
    return lines


def _value(value: float | list, unit: str, state: str, source: str) -> str:
    shown = repr(value) if isinstance(value, (int, list)) else f"{value:.9g}"
    return f'value = {shown}, unit = "{unit}", state = "{state}", source = "{_plain(source)}"'


def _plain(text: str) -> str:
    return text.replace("\\", "/").replace('"', "'")
