#pragma once
/// This file describes the bytes of messages.

#include <cstddef>

#include "mpi/standard/mpi.h"
#include "qmp/call.hpp"

struct QMP_msgmem_struct {
  void* base;
  MPI_Datatype type;  ///< where the bytes lie relative to the base
};
