"""What may stand in a platform file: tables, their keys, and what each number measures."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Number:
    """A number of this dimension; `least` and `most` in base units, both allowed."""

    dimension: str
    required: bool = False
    least: float = 0.0
    most: float = float("inf")
    is_list: bool = False


@dataclasses.dataclass(frozen=True)
class Word:
    """A string, one of `choices` when there are any."""

    choices: tuple[str, ...] = ()
    required: bool = False


@dataclasses.dataclass(frozen=True)
class Names:
    """A list of names of stages."""

    required: bool = False


Table = dict[str, "Number | Word | Names"]

_TIME, _BYTES, _COUNT = Number("time"), Number("bytes"), Number("count")
_RATE = Number("rate", least=1.0)

TOPOLOGIES = ("torus", "ring", "coupled-rings", "fat-tree", "all-to-all")
_MEMORY = Word(("host", "device"), required=True)

TOP: Table = {
    "format": Number("count", required=True),
    "name": Word(required=True),
    "title": Word(required=True),
    "about": Word(required=True),
    "variant": Word(required=True),
}
TOPOLOGY: Table = {
    "kind": Word(TOPOLOGIES, required=True),
    "extents": Number("count", required=True, least=1, is_list=True),
    "nodes_most": Number("count", required=True, least=1),
    "hosts": Number("count", least=1, is_list=True),
    "radix": Number("count", least=2),
    "rails": Number("count", least=1),
}
WIRE: Table = {
    "rate": Number("rate", required=True, least=1.0),
    "efficiency": Number("ratio", least=0.01, most=1.0),
    "framing": _BYTES,
    "packet": Number("bytes", required=True, least=1, most=65535),
    "latency": Number("time", required=True),
    "router": _TIME,
    "credits": Number("count", least=1),
    "channels": Number("count", least=1),
    "bit_error_rate": Number("ratio", most=1.0),
    "retry": _TIME,
}
_STAGE: Table = {"unit": Word(), "about": Word()}
STAGES: dict[str, Table] = {
    "software": {
        "cost": Number("time", required=True),
        "per_chain": _TIME,
        "per_piece": _TIME,
        "rate": _RATE,
    },
    "dma": {
        "rate": Number("rate", required=True, least=1.0),
        "request": Number("bytes", least=1),
        "gap": _TIME,
        "interval": _TIME,
        "lead": _TIME,
        "window": _BYTES,
        "head": _TIME,
        "per_piece": _TIME,
        "channels": Number("count", least=1),
    },
    "translation": {
        "hit": Number("time", required=True),
        "miss": _TIME,
        "entries": _COUNT,
        "page": Number("bytes", least=1),
        "rate": _RATE,
    },
    "port": {
        "rate": Number("rate", required=True, least=1.0),
        "payload": Number("bytes", least=1),
        "overhead": _BYTES,
        "latency": _TIME,
        "lanes": Number("count", least=1),
    },
    "copy": {
        "setup": Number("time", required=True),
        "rate": Number("rate", required=True, least=1.0),
        "per_piece": _TIME,
    },
    "event": {"write": Number("time", required=True), "poll": _TIME},
    "gpu": {"launch": Number("time", required=True), "rate": _RATE},
}
for _keys in STAGES.values():
    _keys |= _STAGE
PATH: Table = {
    "origin": Names(True),
    "target": Names(True),
    "fabric": Word(),
    "local": _TIME,
    "stripe": _BYTES,
    "about": Word(),
}
PROTOCOL: Table = {
    "variant": Word(required=True),
    "from": _MEMORY,
    "to": _MEMORY,
    "least": _BYTES,
    "most": _BYTES,
    "block": Number("bytes", least=1),
    "shape": Word(("any", "contiguous", "strided")),
    "path": Word(required=True),
    "grant": Word(),
    "request": Word(),
    "notice": Word(),
    "about": Word(),
}
SCHEDULES = (
    "linear",
    "binomial",
    "k-nomial",
    "chain",
    "ring",
    "dissemination",
    "recursive-doubling",
    "reduce-scatter",
    "pairwise",
    "scatter-allgather",
)
COLLECTIVE: Table = {
    "broadcast": Word(SCHEDULES),
    "allgather": Word(SCHEDULES),
    "allreduce": Word(SCHEDULES),
    "alltoall": Word(SCHEDULES),
    "barrier": Word(SCHEDULES),
    "entry": _TIME,
    "step": _TIME,
    "reduce": _RATE,
    "staging": Word(("asked", "always")),
    "staging_variant": Word(),
    "staging_block": _BYTES,
    "copy_out": Word(),
    "copy_in": Word(),
    "short_out": Word(),
    "short_in": Word(),
    "short_most": _BYTES,
}
OPERATIONS = ("broadcast", "allgather", "allreduce", "alltoall", "barrier")
ALGORITHM: Table = {
    "about": Word(),
    "variant": Word(required=True),
    "of": Word(OPERATIONS, required=True),
    "memory": Word(("host", "device")),
    "most": _BYTES,
    "schedule": Word(SCHEDULES, required=True),
    "fan": Number("count", least=2),
    "segment": Number("bytes", least=1),
    "staging": Word(("none", "whole", "parts")),
    "copies_out": Number("count", least=1, most=8),
}
GPU: Table = {
    "launch": _TIME,
    "memory": _RATE,
    "flops": Number("flops", least=1.0),
    "wilson_solver": Number("flops", least=1.0),
    "staggered_solver": Number("flops", least=1.0),
    "count": Number("count", least=1),
}
HOST: Table = {"launch": _TIME, "memory": _RATE, "flops": Number("flops", least=1.0)}
BRANCH: Table = {
    "lambda": Number("time", required=True),
    "tau": Number("time", required=True),
    "beta": Number("rate", required=True, least=1.0),
}
OPTION: Table = {"default": Word(required=True), "about": Word(required=True)}
