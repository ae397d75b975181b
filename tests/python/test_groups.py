"""Groups of ranks from Python, over jobs of several ranks."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import onehop

JOB = """
import numpy as np, onehop
job = onehop.join()
half = job.split(job.rank % 2, -job.rank)
assert half.is_group and not job.is_group
assert (half.size, half.rank) == (2, 1 - job.rank // 2)
assert [half.rank_in_job(r) for r in range(2)] == [job.rank % 2 + 2, job.rank % 2]
assert half.rank_in_job() == job.rank == job.rank_in_job()
assert onehop.allgather(half, np.array([job.rank])).ravel().tolist() == [
    job.rank % 2 + 2, job.rank % 2]

alone = job.split(None if job.rank else 0)
assert (alone is None) == (job.rank > 0)

ranks = onehop.Cartesian(job, (8, 8), grid=(2, 2))
for axis in range(2):
    line = ranks.along(axis)
    assert (line.size, line.rank) == (2, ranks.position[axis])
    field = onehop.HaloField(onehop.Cartesian(line, 6), dtype=np.int64)
    field.interior[...] = 10 * ranks.position[1 - axis] + line.rank
    onehop.HaloExchange(field).exchange()
    other = 10 * ranks.position[1 - axis] + 1 - line.rank
    assert field.array[0] == field.array[-1] == other, field.array
assert ranks.along((0, 1)).rank == job.rank

window = onehop.Window(half, 2)
chain = onehop.PutChain(half, window)
chain.push(np.full(2, 1.0 * job.rank), 1 - half.rank, 0)
arrival = chain.add_origin(1 - half.rank)
chain.commit()
chain.start(); chain.wait()
assert chain.arrived(arrival).tolist() == [half.rank_in_job(1 - half.rank)] * 2
print("good")
"""


@pytest.mark.parametrize("transport", ["shm", "virtual:infiniband-qdr"])
def test_groups_of_a_job_work_at_once(onehop, transport):
    where = [] if transport == "shm" else ["--transport", transport]
    ended = onehop("run", "-n", "4", *where, "--", sys.executable, "-c", JOB)
    assert ended.status == 0, ended.err
    assert ended.out.count("good") == 4


def test_a_group_is_not_the_job_of_those_who_name_none():
    job = onehop.join()
    group = job.split(0)
    onehop.cold_gauge((2, 2, 2, 2), context=job)
    onehop.cold_gauge((2, 2, 2, 2), context=group)
    assert not onehop.rma.current_context(None, "this test").is_group
    assert np.array_equal(onehop.allreduce_sum(group, np.ones(3)), np.ones(3))
