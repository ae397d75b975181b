"""The balance of compute and communication of one hopping term (netsim.closed_form)."""

from onehop.netsim import closed_form

# Wilson-Dirac on a GTX 280 in single precision (arXiv:0911.3191): 135 GFlop/s; half spinors of
# 48 bytes; 1320 flops per site.
GPU = {"flops_per_second": 135e9, "face_bytes": 48, "site_flops": 1320}
GLOBAL = (64, 64, 64, 128)

# Node lattice and GPUs per node, row by row of the published table.
ROWS = {
    "A-V16": ((16, 16, 16, 64), 2),
    "A-V17": ((32, 32, 32, 64), 2),
    "A-V18": ((16, 16, 16, 128), 4),
    "A-V19": ((32, 32, 32, 128), 4),
}


def targets(lab):
    return {row: required(extents, gpus) for row, (extents, gpus) in ROWS.items()}


def required(extents, gpus):
    """GB/s."""
    split = [axis for axis in range(4) if extents[axis] < GLOBAL[axis]]
    return closed_form.lattice_bandwidth(extents, split, gpus=gpus, **GPU) / 1e9
