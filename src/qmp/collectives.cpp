// This file has barrier, broadcast, sums and other reductions.

#include <algorithm>
#include <climits>
#include <cstring>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "qmp/process.hpp"

namespace onehop::qmp {
namespace {

template <class T>
MPI_Datatype type_of();
template <>
MPI_Datatype type_of<int>() {
  return MPI_INT;
}
template <>
MPI_Datatype type_of<unsigned long>() {
  return MPI_UNSIGNED_LONG;
}
template <>
MPI_Datatype type_of<float>() {
  return MPI_FLOAT;
}
template <>
MPI_Datatype type_of<double>() {
  return MPI_DOUBLE;
}
template <>
MPI_Datatype type_of<long double>() {
  return MPI_LONG_DOUBLE;
}
static_assert(sizeof(std::uint64_t) == sizeof(unsigned long));

/// Combines the values of all nodes in place.
template <class T>
QMP_status_t combine(QMP_comm_t comm, T* values, MPI_Op how, int count = 1) {
  const timed_wait time;
  if (count < 0) fail(text("the number of values is ", count));
  if (count > 0) require(values, "the array of values");
  MPI_Allreduce(MPI_IN_PLACE, values, count, type_of<T>(), how, at(comm).own);
  return QMP_SUCCESS;
}

/// This is the reduction in progress, because MPI operations carry no data of the caller.
struct {
  QMP_binary_func combine = nullptr;
  std::vector<char> left;
} reduction;

/// MPI passes the value of the lower ranks in `in`, and expects the result in `inout`.
void combine_by_function(void* in, void* inout, int*, MPI_Datatype*) {
  std::memcpy(reduction.left.data(), in, reduction.left.size());
  reduction.combine(reduction.left.data(), inout);
  std::memcpy(inout, reduction.left.data(), reduction.left.size());
}

int as_count(std::size_t bytes) {
  if (bytes > INT_MAX) fail(text(bytes, " bytes are more than ", INT_MAX));
  return static_cast<int>(bytes);
}

}  // namespace
}  // namespace onehop::qmp

using namespace onehop::qmp;

/// This defines both functions of a reduction: over all nodes, and over the nodes of a
/// communicator.
#define ONEHOP_COMBINE(name, type, how)                        \
  QMP_status_t QMP_comm_##name(QMP_comm_t comm, type* value) { \
    const call here(__func__);                                 \
    return combine(comm, value, how);                          \
  }                                                            \
  ONEHOP_OF_DEFAULT(QMP_status_t, name, (type * value), (standard(), value))
#define ONEHOP_COMBINE_ARRAY(name, type, how)                               \
  QMP_status_t QMP_comm_##name(QMP_comm_t comm, type value[], int length) { \
    const call here(__func__);                                              \
    return combine(comm, value, how, length);                               \
  }                                                                         \
  ONEHOP_OF_DEFAULT(QMP_status_t, name, (type value[], int length), (standard(), value, length))

extern "C" {

QMP_status_t QMP_comm_barrier(QMP_comm_t comm) {
  const call here(__func__);
  const timed_wait time;
  MPI_Barrier(at(comm).own);
  return QMP_SUCCESS;
}
ONEHOP_OF_DEFAULT(QMP_status_t, barrier, (void), (standard()))

QMP_status_t QMP_comm_broadcast(QMP_comm_t comm, void* buffer, size_t nbytes) {
  const call here(__func__);
  const timed_wait time;
  if (nbytes > 0) require(buffer, "the buffer");
  // MPI counts are of type int.
  for (std::size_t done = 0; done < nbytes;) {
    const std::size_t piece = std::min(nbytes - done, std::size_t{1} << 30);
    MPI_Bcast(static_cast<char*>(buffer) + done, static_cast<int>(piece), MPI_BYTE, 0,
              at(comm).own);
    done += piece;
  }
  return QMP_SUCCESS;
}
ONEHOP_OF_DEFAULT(QMP_status_t, broadcast, (void* buffer, size_t nbytes),
                  (standard(), buffer, nbytes))

ONEHOP_COMBINE(sum_int, int, MPI_SUM)
ONEHOP_COMBINE(sum_uint64_t, uint64_t, MPI_SUM)
ONEHOP_COMBINE(sum_float, float, MPI_SUM)
ONEHOP_COMBINE(sum_double, double, MPI_SUM)
ONEHOP_COMBINE(sum_long_double, long double, MPI_SUM)
ONEHOP_COMBINE(max_float, float, MPI_MAX)
ONEHOP_COMBINE(max_double, double, MPI_MAX)
ONEHOP_COMBINE(min_float, float, MPI_MIN)
ONEHOP_COMBINE(min_double, double, MPI_MIN)
ONEHOP_COMBINE(xor_ulong, unsigned long, MPI_BXOR)
ONEHOP_COMBINE_ARRAY(sum_float_array, float, MPI_SUM)
ONEHOP_COMBINE_ARRAY(sum_double_array, double, MPI_SUM)
ONEHOP_COMBINE_ARRAY(sum_long_double_array, long double, MPI_SUM)

QMP_status_t QMP_comm_sum_double_extended(QMP_comm_t comm, double* value) {
  const call here(__func__);
  require(value, "the value");
  long double extended = *value;
  combine(comm, &extended, MPI_SUM);
  *value = static_cast<double>(extended);
  return QMP_SUCCESS;
}
ONEHOP_OF_DEFAULT(QMP_status_t, sum_double_extended, (double* value), (standard(), value))

QMP_status_t QMP_comm_binary_reduction(QMP_comm_t comm, void* buffer, size_t nbytes,
                                       QMP_binary_func by) {
  const call here(__func__);
  const timed_wait time;
  if (by == nullptr) fail("the function is NULL");
  if (nbytes == 0) return QMP_SUCCESS;
  require(buffer, "the buffer");
  MPI_Datatype type = nullptr;
  MPI_Op op = nullptr;
  MPI_Type_contiguous(as_count(nbytes), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(combine_by_function, 0, &op);
  reduction = {by, std::vector<char>(nbytes)};
  MPI_Allreduce(MPI_IN_PLACE, buffer, 1, type, op, at(comm).own);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  return QMP_SUCCESS;
}
ONEHOP_OF_DEFAULT(QMP_status_t, binary_reduction, (void* buffer, size_t nbytes, QMP_binary_func by),
                  (standard(), buffer, nbytes, by))

QMP_status_t QMP_comm_alltoall(QMP_comm_t comm, char* received, const char* sent, size_t nbytes) {
  const call here(__func__);
  const timed_wait time;
  const int bytes = as_count(nbytes);
  if (bytes > 0) {
    require(received, "the buffer of what is received");
    require(sent, "the buffer of what is sent");
  }
  MPI_Alltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, at(comm).own);
  return QMP_SUCCESS;
}
}
