"""What `onehop bench` can measure."""

OF_CELLS = (
    "latency",
    "bandwidth",
    "bibandwidth",
    "pingping",
    "put",
    "get",
    "halo",
    "allreduce",
    "broadcast",
    "allgather",
    "alltoall",
    "barrier",
)
OF_OPERATORS = ("dslash", "solve")
ALL = (*OF_CELLS, *OF_OPERATORS)
# In MB/s; the others in microseconds.
RATES = ("bandwidth", "bibandwidth")
