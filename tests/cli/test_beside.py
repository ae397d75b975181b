"""Jobs and traffic beside a workload of `onehop simulate` are tested for what they cost it."""

from __future__ import annotations

import json

import pytest


def simulated(onehop, *arguments):
    ended = onehop("simulate", *arguments, "--json", "-")
    assert (ended.status, ended.err) == (0, "")
    return json.loads(ended.out)


_PAIR = ("halo", "--nodes", "2", "--message-bytes", "1048576")
# A leaf of four nodes has one cable up, so that all between the leaves share it.
_TAPERED = "topology.nodes_most=144,topology.down=4,topology.up=1,topology.rails=1"


def test_jobs_across_one_cable_get_equal_shares_of_it(onehop):
    words = ("pax", *_PAIR, "--machine", "8", "--hosts", "1,5", "--platform-set", _TAPERED)
    alone = simulated(onehop, *words)
    assert "slowdown" not in alone
    both = simulated(onehop, *words, "--beside", f"{' '.join(_PAIR)} --hosts 2,6")
    assert both["alone_us"] == alone["step_us"]
    # Engines feed a node at 3.2 GB/s, and the cable carries 4.0 less framing for both.
    share = 4.0 * 2048 / (2048 + 66) / 2
    assert both["slowdown"] == pytest.approx(3.2 / share, rel=0.03)
    other = both["beside"][0]
    assert other["hosts"] == [2, 6]
    assert other["step_us"] * other["steps"] >= both["step_us"]
    # Its last step ends alone.
    assert 1.2 < other["slowdown"] < both["slowdown"]


def test_jobs_on_leaves_of_their_own_do_not_notice_each_other(onehop):
    words = ("pax", *_PAIR, "--machine", "8", "--platform-set", _TAPERED)
    both = simulated(onehop, *words, "--beside", f"{' '.join(_PAIR)} --hosts 7,8")
    assert both["slowdown"] == 1
    assert both["beside"][0]["slowdown"] == 1


def test_a_job_is_slower_the_more_traffic_there_is(onehop):
    words = ("slingshot", "halo", "--nodes", "4", "4", "--machine", "64", "--steps", "3")
    slowdowns = []
    for load in ("0.1", "0.4"):
        record = simulated(onehop, *words, "--background", f"uniform:{load}")
        slowdowns.append(record["slowdown"])
        again = simulated(onehop, *words, "--background", f"uniform:{load}")
        assert again["slowdown"] == record["slowdown"]
        assert again["events"] == record["events"]
    assert 1 < slowdowns[0] < slowdowns[1]


@pytest.mark.parametrize("job", ["allreduce --nodes 4 2", "cg --nodes 2 2 --lattice 8 8 8 8"])
def test_traffic_waits_for_any_job(onehop, job):
    words = ("pax", "traffic", "--nodes", "16", "--load", "0.1", "--window", "300")
    (point,) = simulated(onehop, *words, "--beside", job)["points"]
    assert point["slowdown"] > 1
    assert point["beside"][0]["steps"] > 1


def test_allreduce_is_a_workload(onehop):
    few, many = (
        simulated(onehop, "pax", "allreduce", "--nodes", nodes, "--steps", "2")["step_us"]
        for nodes in ("8", "64")
    )
    # Doubling takes three steps and six.
    assert many / few == pytest.approx(2, rel=0.1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--beside", "halo"), "give it --nodes"),
        (("--beside", "traffic --nodes 2"), "begin with halo, cg, allreduce"),
        (("--beside", "halo --nodes 2 --seed 3"), "--seed is for the whole machine"),
        (("--beside", "halo --nodes 1"), "one node sends nothing"),
        (("--beside", "halo --nodes 2 --hosts 1,5"), "another job has it"),
        (("--beside", "halo --nodes 9"), "of which 8 are free"),
        (("--beside", "halo 'x"), "No closing quotation"),
        (("--beside", "halo --help"), "a job is needed, not its help"),
        (("--background", "unifrm:0.1"), "did you mean uniform?"),
        (("--background", "uniform:0"), "a load above 0"),
    ],
)
def test_what_cannot_be_beside_is_refused_in_a_line(onehop, words, said):
    ended = onehop("simulate", "pax", "halo", "--nodes", "8", "--machine", "16", *words)
    assert ended.status == 2
    assert said in ended.err
    assert ended.err.count("\n") == 1
