#pragma once
#include <mpi.h>

/// MPI-4 brought partitioned messages and persistent collectives; Open MPI 5 has them without the
/// rest of MPI-4.
#if MPI_VERSION >= 4 || (defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5)
#define ONEHOP_PEER_HAS_MPI_4 1
#else
#define ONEHOP_PEER_HAS_MPI_4 0
#endif
