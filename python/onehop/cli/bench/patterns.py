"""What `onehop bench` can measure."""

# In MB/s; the others in microseconds.
IN_MBS = ("bandwidth", "bibandwidth", "stream")
# Chains between two ranks.
PAIRED = ("latency", "bandwidth", "bibandwidth", "pingping", "put", "get")
# Those of which one start sends several messages.
OF_MESSAGES = ("bandwidth", "bibandwidth", "pingping")
WITH_BYTES = (*PAIRED, "stream", "halo", "allreduce", "broadcast", "allgather", "alltoall")
OF_CELLS = (*WITH_BYTES, "barrier")
OF_OPERATORS = ("dslash", "solve")
ALL = (*OF_CELLS, *OF_OPERATORS)
# Those whose bytes may lie in devices of this machine.
ON_DEVICES = ("latency", "pingping", "put", "bandwidth", "bibandwidth", "halo")
