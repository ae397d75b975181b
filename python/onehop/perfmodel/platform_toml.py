"""Writes a fit as a platform file: two nodes or more, any to any, with the fitted times between
them.

Each stage or segment becomes one row of the protocol table: a latency, then a server that takes
every message in turn. Rows change at the sizes where the model changes from one to the other, for
stages on the number of channels in the middle of those measured; on others the file is exact as
far as the same stage rules. [branch.fitted] holds the stages as they are.
"""

import dataclasses
import math
import re
from collections.abc import Sequence

import numpy as np
import tomlkit
from tomlkit.items import InlineTable

from onehop.perfmodel.fit import Fit

_NODES_MOST = 1024
# The wire is this much faster than the fitted rates, so that it takes no time itself.
_WIRE_TIMES_FASTER = 1e4
_SCHEDULES = {
    "allreduce": "recursive-doubling",
    "allgather": "recursive-doubling",
    "broadcast": "binomial",
    "alltoall": "pairwise",
    "barrier": "dissemination",
}


@dataclasses.dataclass(frozen=True)
class _Row:
    """Rules messages up to `most` bytes; `rate` is infinite where bytes cost nothing."""

    latency_us: float
    each_us: float
    rate_mbps: float
    most: int | None


def platform_toml(fit: Fit, name: str) -> str:
    """Returns the text of a platform file that netsim.load takes."""
    rows = _stage_rows(fit) if fit.stages else _segment_rows(fit)
    about = f"{fit.model} fitted to {fit.observations.name or 'points'}"
    rates = [row.rate_mbps for row in rows if math.isfinite(row.rate_mbps)]
    wire = _WIRE_TIMES_FASTER * max(rates, default=1000.0)
    file = tomlkit.document()
    file.add(tomlkit.comment(f"{about}. Written by onehop fit."))
    file.update(
        {
            "format": 1,
            "name": slug(name),
            "title": about,
            "about": "Times between two ranks, as fitted; the wire itself costs nothing.",
            "variant": "direct",
            "topology": {
                "kind": "all-to-all",
                "extents": _assumed([2], "nodes", "a pair was measured"),
                "nodes_most": _assumed(_NODES_MOST, "nodes", "pairs do not disturb"),
            },
            "wire": {
                "rate": _assumed(wire, "MB/s", "within the fitted stages"),
                "packet": _assumed(4096, "byte", "any"),
                "latency": _assumed(0.0, "us", "within the fitted stages"),
            },
            **_tables(rows, f"onehop fit, score {100 * fit.score:.1f}%"),
            **_branches(fit, f"onehop fit, score {100 * fit.score:.1f}%"),
            "collective": {"direct": _SCHEDULES},
        }
    )
    return tomlkit.dumps(file)


def slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "fitted"


def _stage_rows(fit: Fit) -> list[_Row]:
    """Returns rows in the order in which stages rule as messages grow."""
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


def _tables(rows: Sequence[_Row], source: str) -> dict[str, dict]:
    stages, paths, protocols = {}, {}, {}
    for number, row in enumerate(rows, 1):
        server = {"kind": "software", "unit": "server", "cost": _fitted(row.each_us, "us", source)}
        if math.isfinite(row.rate_mbps):
            server["rate"] = _fitted(row.rate_mbps, "MB/s", source)
        latency = {"kind": "event", "write": _fitted(row.latency_us, "us", source)}
        stages |= {f"latency-{number}": latency, f"server-{number}": server}
        paths[f"way-{number}"] = {"origin": [f"server-{number}"], "target": [f"latency-{number}"]}
        most = {} if row.most is None else {"most": _fitted(row.most, "byte", source)}
        protocols |= {
            f"{memory}-{number}": {
                "variant": "direct",
                "from": memory,
                "to": memory,
                "path": f"way-{number}",
                **most,
            }
            for memory in ("host", "device")
        }
    return {"stage": stages, "path": paths, "protocol": protocols}


def _branches(fit: Fit, source: str) -> dict[str, dict]:
    """Returns the stages as they are, for the closed form."""
    stages = {
        f"stage-{number}": {
            "lambda": _fitted(stage.lambda_us, "us", source),
            "tau": _fitted(stage.tau_us, "us", source),
            "beta": _fitted(float(stage.beta_MBps), "MB/s", source),
        }
        for number, stage in enumerate(fit.stages, 1)
        if math.isfinite(stage.beta_MBps)
    }
    return {"branch": {"fitted": stages}} if stages else {}


def _fitted(value: float, unit: str, source: str) -> InlineTable:
    return _number(value, unit, "fitted", source)


def _assumed(value: float | list[int], unit: str, source: str) -> InlineTable:
    return _number(value, unit, "assumed", source)


def _number(value: float | list[int], unit: str, state: str, source: str) -> InlineTable:
    table = tomlkit.inline_table()
    digits = float(f"{value:.9g}") if isinstance(value, float) else value
    return table | {"value": digits, "unit": unit, "state": state, "source": source}
