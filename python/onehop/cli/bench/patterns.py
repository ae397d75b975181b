"""The patterns that `onehop bench` can measure."""

# The results of these are in MB/s; the others are in microseconds.
IN_MBS = ("bandwidth", "bibandwidth", "stream")
# These are chains between two ranks.
PAIRED = ("latency", "bandwidth", "bibandwidth", "pingping", "put", "get")
# Messages of these may lie in rows at their source.
WITH_ROWS = (*PAIRED, "faces")
# One chain of these has several messages.
OF_MESSAGES = ("bandwidth", "bibandwidth", "pingping", "commit")
COLLECTIVES = ("allreduce", "reduce_scatter", "broadcast", "allgather", "alltoall", "alltoallv")
SUMMING = ("allreduce", "reduce_scatter")
WITH_BYTES = (*PAIRED, "faces", "stream", "halo", "commit", *COLLECTIVES)
OF_CELLS = (*WITH_BYTES, "barrier")
# These are compared with loops written by hand, and with other libraries.
AGAINST_HAND = ("halo", "allreduce", "stream")
AGAINST_MPI = ("halo", "stream", *COLLECTIVES, "barrier")
OF_OPERATORS = ("dslash", "solve")
ALL = (*OF_CELLS, *OF_OPERATORS)
# The bytes of these may lie in devices of this machine.
ON_DEVICES = ("latency", "pingping", "put", "bandwidth", "bibandwidth", "halo")
