"""What `onehop bench` can measure."""

# In MB/s; the others in microseconds.
RATES = ("bandwidth", "bibandwidth")
PAIRED = ("latency", *RATES, "pingping", "put", "get")
WITH_BYTES = (*PAIRED, "halo", "allreduce", "broadcast", "allgather", "alltoall")
OF_CELLS = (*WITH_BYTES, "barrier")
OF_OPERATORS = ("dslash", "solve")
ALL = (*OF_CELLS, *OF_OPERATORS)
# Those whose bytes may lie in devices of this machine.
ON_DEVICES = ("latency", "pingping", "put", *RATES, "halo")
