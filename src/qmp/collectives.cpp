// Barrier, broadcast, sums and other reductions.

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
QMP_status_t combine(const char* function, QMP_comm_t comm, T* values, MPI_Op how, int count = 1) {
  const call here(function);
  const timed_wait time;
  if (count < 0) fail(text("the number of values is ", count));
  if (count > 0) require(values, "the array of values");
  MPI_Allreduce(MPI_IN_PLACE, values, count, type_of<T>(), how, at(comm).own);
  return QMP_SUCCESS;
}

QMP_status_t sum_extended(const char* function, QMP_comm_t comm, double* value) {
  const call here(function);
  require(value, "the value");
  long double extended = *value;
  combine(function, comm, &extended, MPI_SUM);
  *value = static_cast<double>(extended);
  return QMP_SUCCESS;
}

QMP_status_t barrier(const char* function, QMP_comm_t comm) {
  const call here(function);
  const timed_wait time;
  MPI_Barrier(at(comm).own);
  return QMP_SUCCESS;
}

QMP_status_t broadcast(const char* function, QMP_comm_t comm, void* buffer, std::size_t bytes) {
  const call here(function);
  const timed_wait time;
  if (bytes > 0) require(buffer, "the buffer");
  // MPI counts in int.
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t piece = std::min(bytes - done, std::size_t{1} << 30);
    MPI_Bcast(static_cast<char*>(buffer) + done, static_cast<int>(piece), MPI_BYTE, 0,
              at(comm).own);
    done += piece;
  }
  return QMP_SUCCESS;
}

/// The reduction that is under way: operations of MPI carry nothing of the caller's.
struct {
  QMP_binary_func combine = nullptr;
  std::vector<char> left;
} reduction;

/// MPI has the value of the lower ranks in `in`, and wants the result in `inout`.
void combine_by_function(void* in, void* inout, int*, MPI_Datatype*) {
  std::memcpy(reduction.left.data(), in, reduction.left.size());
  reduction.combine(reduction.left.data(), inout);
  std::memcpy(inout, reduction.left.data(), reduction.left.size());
}

int as_count(std::size_t bytes) {
  if (bytes > INT_MAX) fail(text(bytes, " bytes are more than ", INT_MAX));
  return static_cast<int>(bytes);
}

QMP_status_t reduce(const char* function, QMP_comm_t comm, void* buffer, std::size_t bytes,
                    QMP_binary_func by) {
  const call here(function);
  const timed_wait time;
  if (by == nullptr) fail("the function is NULL");
  if (bytes == 0) return QMP_SUCCESS;
  require(buffer, "the buffer");
  MPI_Datatype type = nullptr;
  MPI_Op op = nullptr;
  MPI_Type_contiguous(as_count(bytes), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(combine_by_function, 0, &op);
  reduction = {by, std::vector<char>(bytes)};
  MPI_Allreduce(MPI_IN_PLACE, buffer, 1, type, op, at(comm).own);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  return QMP_SUCCESS;
}

}  // namespace
}  // namespace onehop::qmp

using namespace onehop::qmp;

extern "C" {

QMP_status_t QMP_barrier(void) { return barrier("QMP_barrier", standard()); }
QMP_status_t QMP_comm_barrier(QMP_comm_t comm) { return barrier("QMP_comm_barrier", comm); }
QMP_status_t QMP_broadcast(void* buffer, size_t nbytes) {
  return broadcast("QMP_broadcast", standard(), buffer, nbytes);
}
QMP_status_t QMP_comm_broadcast(QMP_comm_t comm, void* buffer, size_t nbytes) {
  return broadcast("QMP_comm_broadcast", comm, buffer, nbytes);
}

QMP_status_t QMP_sum_int(int* value) { return combine("QMP_sum_int", standard(), value, MPI_SUM); }
QMP_status_t QMP_comm_sum_int(QMP_comm_t comm, int* value) {
  return combine("QMP_comm_sum_int", comm, value, MPI_SUM);
}
QMP_status_t QMP_sum_uint64_t(uint64_t* value) {
  return combine("QMP_sum_uint64_t", standard(), value, MPI_SUM);
}
QMP_status_t QMP_comm_sum_uint64_t(QMP_comm_t comm, uint64_t* value) {
  return combine("QMP_comm_sum_uint64_t", comm, value, MPI_SUM);
}
QMP_status_t QMP_sum_float(float* value) {
  return combine("QMP_sum_float", standard(), value, MPI_SUM);
}
QMP_status_t QMP_comm_sum_float(QMP_comm_t comm, float* value) {
  return combine("QMP_comm_sum_float", comm, value, MPI_SUM);
}
QMP_status_t QMP_sum_double(double* value) {
  return combine("QMP_sum_double", standard(), value, MPI_SUM);
}
QMP_status_t QMP_comm_sum_double(QMP_comm_t comm, double* value) {
  return combine("QMP_comm_sum_double", comm, value, MPI_SUM);
}
QMP_status_t QMP_sum_long_double(long double* value) {
  return combine("QMP_sum_long_double", standard(), value, MPI_SUM);
}
QMP_status_t QMP_comm_sum_long_double(QMP_comm_t comm, long double* value) {
  return combine("QMP_comm_sum_long_double", comm, value, MPI_SUM);
}
QMP_status_t QMP_sum_float_array(float value[], int length) {
  return combine("QMP_sum_float_array", standard(), value, MPI_SUM, length);
}
QMP_status_t QMP_comm_sum_float_array(QMP_comm_t comm, float value[], int length) {
  return combine("QMP_comm_sum_float_array", comm, value, MPI_SUM, length);
}
QMP_status_t QMP_sum_double_array(double value[], int length) {
  return combine("QMP_sum_double_array", standard(), value, MPI_SUM, length);
}
QMP_status_t QMP_comm_sum_double_array(QMP_comm_t comm, double value[], int length) {
  return combine("QMP_comm_sum_double_array", comm, value, MPI_SUM, length);
}
QMP_status_t QMP_sum_long_double_array(long double value[], int length) {
  return combine("QMP_sum_long_double_array", standard(), value, MPI_SUM, length);
}
QMP_status_t QMP_comm_sum_long_double_array(QMP_comm_t comm, long double value[], int length) {
  return combine("QMP_comm_sum_long_double_array", comm, value, MPI_SUM, length);
}
QMP_status_t QMP_max_float(float* value) {
  return combine("QMP_max_float", standard(), value, MPI_MAX);
}
QMP_status_t QMP_comm_max_float(QMP_comm_t comm, float* value) {
  return combine("QMP_comm_max_float", comm, value, MPI_MAX);
}
QMP_status_t QMP_max_double(double* value) {
  return combine("QMP_max_double", standard(), value, MPI_MAX);
}
QMP_status_t QMP_comm_max_double(QMP_comm_t comm, double* value) {
  return combine("QMP_comm_max_double", comm, value, MPI_MAX);
}
QMP_status_t QMP_min_float(float* value) {
  return combine("QMP_min_float", standard(), value, MPI_MIN);
}
QMP_status_t QMP_comm_min_float(QMP_comm_t comm, float* value) {
  return combine("QMP_comm_min_float", comm, value, MPI_MIN);
}
QMP_status_t QMP_min_double(double* value) {
  return combine("QMP_min_double", standard(), value, MPI_MIN);
}
QMP_status_t QMP_comm_min_double(QMP_comm_t comm, double* value) {
  return combine("QMP_comm_min_double", comm, value, MPI_MIN);
}
QMP_status_t QMP_xor_ulong(unsigned long* value) {
  return combine("QMP_xor_ulong", standard(), value, MPI_BXOR);
}
QMP_status_t QMP_comm_xor_ulong(QMP_comm_t comm, unsigned long* value) {
  return combine("QMP_comm_xor_ulong", comm, value, MPI_BXOR);
}
QMP_status_t QMP_sum_double_extended(double* value) {
  return sum_extended("QMP_sum_double_extended", standard(), value);
}
QMP_status_t QMP_comm_sum_double_extended(QMP_comm_t comm, double* value) {
  return sum_extended("QMP_comm_sum_double_extended", comm, value);
}

QMP_status_t QMP_binary_reduction(void* buffer, size_t nbytes, QMP_binary_func by) {
  return reduce("QMP_binary_reduction", standard(), buffer, nbytes, by);
}
QMP_status_t QMP_comm_binary_reduction(QMP_comm_t comm, void* buffer, size_t nbytes,
                                       QMP_binary_func by) {
  return reduce("QMP_comm_binary_reduction", comm, buffer, nbytes, by);
}

QMP_status_t QMP_comm_alltoall(QMP_comm_t comm, char* received, const char* sent, size_t nbytes) {
  const call here("QMP_comm_alltoall");
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
