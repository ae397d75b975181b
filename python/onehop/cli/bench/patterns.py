"""What `onehop bench` can measure."""

# In MB/s; the others in microseconds.
IN_MBS = ("bandwidth", "bibandwidth", "stream")
# Chains between two ranks.
PAIRED = ("latency", "bandwidth", "bibandwidth", "pingping", "put", "get")
# Those of which one start sends several messages.
OF_MESSAGES = ("bandwidth", "bibandwidth", "pingping")
COLLECTIVES = ("allreduce", "reduce_scatter", "broadcast", "allgather", "alltoall", "alltoallv")
WITH_BYTES = (*PAIRED, "stream", "halo", *COLLECTIVES)
OF_CELLS = (*WITH_BYTES, "barrier")
# Those that loops written by hand, and other libraries, are compared in.
AGAINST_HAND = ("halo", "allreduce", "stream")
AGAINST_MPI = ("halo", "stream", *COLLECTIVES, "barrier")
OF_OPERATORS = ("dslash", "solve")
ALL = (*OF_CELLS, *OF_OPERATORS)
# Those whose bytes may lie in devices of this machine.
ON_DEVICES = ("latency", "pingping", "put", "bandwidth", "bibandwidth", "halo")
