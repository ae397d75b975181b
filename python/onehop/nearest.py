"""Finds the known name that a user probably meant."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

# What other programs call what is known here by another name: lattice codes, and benchmarks of MPI.
_ELSEWHERE = {
    "flow": "measure --flow T",
    "gaugefix": "measure --fix landau",
    "heatbath": "generate",
    "hmc": "generate, by heatbath and without quarks",
    "invert": "solve",
    "mpiexec": "run -n N --mpi",
    "mpirun": "run -n N --mpi",
    "pingpong": "latency",
    "plaquette": "measure",
    "propagator": "solve",
    "smear": "measure --smear KIND",
    "spectrum": "solve --mesons --baryons",
    "--dim": "--lattice X Y Z T",
    "--geometry": "--grid NX NY NZ NT",
    "--mpi": "--grid NX NY NZ NT",
    "--niter": "--max-iter N",
    "--np": "--ranks N",
    "--residual": "--tol T",
}


def nearest(word: str, known: Sequence[str]) -> str:
    """Returns '; did you mean --kappa?' or '', for a word of another program '; that is generate
    here'."""
    meant = _ELSEWHERE.get(word, "")
    if re.split("[ ,]", meant)[0] in known:
        return f"; that is {meant} here"

    # Names are compared without the dashes, which would make all options alike; capitals decide
    # between those that are as near without them, as Gb/s and GB/s are to Gbps. A name that begins
    # with the word is nearer than any other, as wire.latency is to wire.lat.
    def closeness(name: str) -> tuple[bool, float, float]:
        one, other = word.lstrip("-"), name.lstrip("-")
        alike = _alike(one.lower(), other.lower())
        begins = alike > 0.5 and other.lower().startswith(one.lower())
        return begins, alike, _alike(one, other)

    best = max(known, key=closeness, default="")
    # Words that share half of their letters are not alike yet, unless one was cut short.
    is_cut = word.lstrip("-").lower().startswith(best.lstrip("-").lower())
    is_near = bool(best) and closeness(best)[1] > (0.49 if is_cut else 0.5)
    return f"; did you mean {best}?" if is_near else ""


def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()
