"""What the pages show and a test cannot run, each with its page and how it begins, by the reason.

Behind ``` stands how a block begins that is left out as a whole; all others are single commands.
"""

from __future__ import annotations

HOW_TO = "docs/how_to"
GPUS = f"{HOW_TO}/use_gpus.md"
MPI = f"{HOW_TO}/run_mpi_programs.md"

EXCUSED: dict[str, list[tuple[str, str]]] = {
    "it builds the tree that this test is part of": [
        ("README.md", "```make demo"),
        ("docs/tutorial/first_steps.md", "make install"),
        ("docs/tutorial/first_steps.md", "source .venv/bin/activate"),
    ],
    "it installs from a network": [
        (f"{HOW_TO}/README.md", "pip install 'mpich>=5'"),
        (f"{HOW_TO}/README.md", "pip install --force-reinstall"),
        (f"{HOW_TO}/README.md", "```make wheel"),
        (GPUS, "```make wheel ONEHOP_CUDA"),
        (f"{HOW_TO}/measure_a_wire.md", "onehop bench --install-peers"),
        (f"{HOW_TO}/run_mpi4py.md", "```pip install 'mpich>=5'"),
        (MPI, "pip install 'mpich>=5'"),
    ],
    "it takes sources or files of other people, which are not here": [
        (f"{HOW_TO}/run_hpcc.md", "```pip install 'mpich>=5'"),
        (f"{HOW_TO}/run_hpcc.md", "```onehop run -n 4 --mpi -- ./hpcc"),
        (f"{HOW_TO}/run_mpi4py.md", "```onehop run -n 2 --mpi -- python osu_latency.py"),
        (MPI, "```# FFTW 3.3.10"),
        ("docs/tutorial/particle_in_cell.md", "```from openpmd_viewer"),
        (f"{HOW_TO}/convert_files.md", "onehop convert ks_propagator.scidac"),
        (f"{HOW_TO}/convert_files.md", "onehop convert eigenvectors.scidac"),
        (f"{HOW_TO}/convert_files.md", "onehop convert fat_and_long.scidac"),
        (f"{HOW_TO}/convert_files.md", "onehop info eigenvectors.scidac"),
        (f"{HOW_TO}/convert_files.md", "```found = onehop.read_eigenvectors"),
    ],
    "it is part of a program that has MPI, which tests/install and tests/cli build and run": [
        (f"{HOW_TO}/README.md", "```#include <mpi.h>"),
        (f"{HOW_TO}/README.md", "```from mpi4py import MPI"),
        (f"{HOW_TO}/README.md", "```cmake -S embedded -B embedded/build"),
    ],
    "it needs a batch system": [
        (f"{HOW_TO}/README.md", "```srun --mpi=pmi2"),
    ],
    "it needs root": [
        (f"{HOW_TO}/README.md", "```for n in 1 2; do ip netns"),
        (f"{HOW_TO}/README.md", "```ip netns exec host1 mpiexec"),
    ],
    "it needs a GPU": [
        (GPUS, "onehop solve b6.0.nersc --kappa 0.13 --device cuda"),
        (GPUS, "onehop bench dslash --device cuda"),
        (GPUS, "onehop tune --device cuda"),
        (GPUS, "```onehop bench latency --memory device"),
        (MPI, "```pack_faces<<<"),
        (GPUS, "```stream = cupy.cuda.Stream"),
        (GPUS, "```window = onehop.Window.register(context, ghosts, stream)"),
        (GPUS, "```onehop.set_collective_stream(job, stream)"),
        (f"{HOW_TO}/exchange_halos.md", "```field = onehop.HaloField.register(ranks, block"),
        ("onehop.DeviceArray", "```found = onehop.device_array(cupy"),
        ("onehop.DeviceArray", "```found.shape, found.size_bytes"),
        ("onehop.device_array", "```stream = cupy.cuda.Stream()"),
        ("onehop.device_array", "```found = onehop.device_array(cupy"),
        ("onehop.to_host", "```onehop.to_host(cupy"),
    ],
    "it measures this machine, or computes, for more than half a minute": [
        (f"{HOW_TO}/README.md", "onehop tune dslash"),
        (f"{HOW_TO}/measure_a_wire.md", "onehop bench halo --faces 2,4,8"),
        (f"{HOW_TO}/measure_a_wire.md", "```onehop bench halo --transport mpi_p2p"),
        (f"{HOW_TO}/measure_a_wire.md", "onehop tune"),
        (f"{HOW_TO}/model_a_wire.md", "```onehop bench pingping --pack direct"),
        ("docs/tutorial/particle_in_cell.md", "onehop app particle-in-cell --setup wakefield"),
    ],
    "a message that ends a job, which tests/mpi and tests/cli provoke": [
        (MPI, "```onehop: rank 1: MPI_Recv"),
        (MPI, "```onehop: no rank can go on"),
        (f"{HOW_TO}/run_on_a_virtual_machine.md", "```onehop: virtual machine apenet-v4"),
    ],
    "a table of times that was measured once, as the words around it say": [
        ("docs/explanation/virtual_network.md", "```ahead    pending"),
    ],
}
