"""Programs of MPI have several ranks on a node of a virtual machine, and declare computing."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

MACHINE = ("--mpi", "--transport", "virtual:apenet-v4")
RANKS = 64

pytestmark = pytest.mark.skipif(
    not Path(sys.executable).with_name("mpicc_abi").exists(),
    reason="no mpicc_abi beside this Python: pip install 'mpich>=5'",
)


def ran(onehop, ranks, program, *words):
    """Returns the lines of a run, and how long it took by the machine's own clock."""
    ended = onehop("run", "-n", ranks, *MACHINE, *words, "--verbose", "--", program)
    assert ended.status == 0, ended.err
    return sorted(ended.out.splitlines()), ended.err


def nodes_of(lines):
    """Returns what each rank says of its node: name, host name, ranks on it, the first of them."""
    said = [re.fullmatch(r"(\d+) (\S+) (\S+) (\d+) beside (\d+)", line) for line in lines]
    return {int(one[1]): (one[2], one[3], int(one[4]), int(one[5])) for one in said if one}


# Several jobs of 64 processes take their time where others have the cores.
@pytest.mark.timeout(600)
def test_a_halo_repeats_to_the_picosecond_with_one_and_with_two_ranks_a_node(onehop, programs):
    program, found = programs("nodes"), {}
    for hosts in ("linear:1", "linear:2"):
        found[hosts] = ran(onehop, RANKS, program, "--hosts", hosts)
        assert ran(onehop, RANKS, program, "--hosts", hosts) == found[hosts]
    assert ran(onehop, RANKS, program) == found["linear:1"]
    assert found["linear:1"] != found["linear:2"]
    lines = found["linear:2"][0]
    assert len(lines) == 2 * RANKS, "every rank says its node and its time, and nothing is wrong"


@pytest.mark.parametrize("placement", ["1,1,2,2,3,3", "3,1,2,1,2,3"])
def test_ranks_of_a_node_know_each_other(onehop, programs, placement):
    hosts = placement.split(",")
    lines, _ = ran(onehop, len(hosts), programs("nodes"), "--placement", placement)
    nodes = nodes_of(lines)
    for rank, host in enumerate(hosts):
        name, of_system, beside, first = nodes[rank]
        assert name == of_system
        assert (beside, first) == (hosts.count(host), hosts.index(host))
    assert len({nodes[rank][0] for rank in nodes}) == len(set(hosts))


def test_time_passes_by_exactly_what_is_declared(onehop, programs):
    words = ("--platform-set", "host.flops=1,host.memory=1")
    lines, _ = ran(onehop, 2, programs("declared"), *words)
    # 3 Mflop at 1 Gflop/s and 5 MB at 1 GB/s; the longer of the two.
    for rank in range(2):
        own = [line.split()[1] for line in lines if line.startswith(f"{rank} ")]
        assert sorted(own) == sorted(["1250000", "3000000", "5000000", "0", "1"])


@pytest.mark.parametrize("words", [("--compute", "none"), None])
def test_what_is_declared_takes_no_time_otherwise(onehop, programs, words):
    program = programs("declared")
    if words is None:
        ended = onehop("run", "-n", 2, "--mpi", "--", program)
        assert (ended.status, ended.err) == (0, "")
        return
    lines, _ = ran(onehop, 2, program, *words)
    assert [line.split()[1] for line in lines] == ["0"] * 10
