"""Every rank puts its number into the memory of its right neighbour."""

import numpy as np

import onehop

job = onehop.join()
right = (job.rank + 1) % job.size
left = (job.rank - 1) % job.size

window = onehop.Window(job, 1, np.int32)
mine = np.array([job.rank], np.int32)
chain = onehop.PutChain(job, window)
chain.push(mine, right, 0)
from_left = chain.add_origin(left)
chain.commit()

chain.start()
chain.wait()
arrived = chain.arrived(from_left)[0]

heard = np.zeros(job.size)
heard[job.rank] = arrived
for value in onehop.allreduce_sum(job, heard):
    if job.rank == 0:
        print(f"a rank heard from rank {value:.0f}")
