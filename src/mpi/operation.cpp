#include "mpi/operation.hpp"

#include <array>
#include <limits>

#include "base/text.hpp"
#include "mpi/errors.hpp"
#include "mpi/fiber.hpp"
#include "mpi/handles.hpp"

namespace onehop::mpi_abi {
namespace {

constexpr std::array fixed_operations{op_sum,    op_min,    op_max,     op_prod, op_band,
                                      op_bor,    op_bxor,   op_land,    op_lor,  op_lxor,
                                      op_minloc, op_maxloc, op_replace, op_no_op};
constexpr std::array operation_names{
    "MPI_SUM",  "MPI_MIN", "MPI_MAX",  "MPI_PROD",   "MPI_BAND",   "MPI_BOR",     "MPI_BXOR",
    "MPI_LAND", "MPI_LOR", "MPI_LXOR", "MPI_MINLOC", "MPI_MAXLOC", "MPI_REPLACE", "MPI_NO_OP"};

using operation_table = std::array<operation, fixed_operations.size()>;

operation_table make_operations() {
  operation_table table;
  for (std::size_t i = 0; i < table.size(); ++i) table[i].fixed_handle = fixed_operations[i];
  return table;
}

}  // namespace

const char* operation_name(std::uintptr_t handle) noexcept {
  for (std::size_t i = 0; i < fixed_operations.size(); ++i)
    if (fixed_operations[i] == handle) return operation_names[i];
  return nullptr;
}

void operation::apply(const void* in, void* inout, std::size_t count, const datatype& type,
                      MPI_Datatype handle) const {
  if (count == 0) return;
  if (large_call != nullptr) {
    auto here = static_cast<MPI_Count>(count);
    fiber::call_outside([&] { large_call(const_cast<void*>(in), inout, &here, &handle); });
    return;
  }
  if (call != nullptr) {
    // A function of the caller takes its count as an int.
    constexpr std::size_t most = std::numeric_limits<int>::max();
    auto* from = static_cast<std::byte*>(const_cast<void*>(in));
    auto* to = static_cast<std::byte*>(inout);
    for (std::size_t done = 0; done < count; done += most) {
      int here = static_cast<int>(std::min(count - done, most));
      const std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(done) * type.extent();
      fiber::call_outside([&] { call(from + offset, to + offset, &here, &handle); });
    }
    return;
  }
  find_combine(fixed_handle, type.kind())(static_cast<const std::byte*>(in),
                                          static_cast<std::byte*>(inout), count);
}

const operation& operation_of(MPI_Op handle) {
  static const operation_table& table = *new operation_table(make_operations());
  if (const auto* const known = object_at<operation>(handle)) return *known;
  for (const operation& one : table)
    if (one.fixed_handle == number_of(handle)) return one;
  throw mpi_error(err_op, number_of(handle) == op_null
                              ? std::string("the operation is MPI_OP_NULL")
                              : text("no operation has the handle ", number_of(handle)));
}

void require_applies(const operation& what, const datatype& type) {
  if (what.call != nullptr || what.large_call != nullptr ||
      find_combine(what.fixed_handle, type.kind()) != nullptr)
    return;
  throw mpi_error(err_op, text(operation_name(what.fixed_handle),
                               " does not combine elements of this datatype"));
}

}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Op_create(MPI_User_function* call, int commutes, MPI_Op* handle) {
  return guarded({__func__, call, handle}, [&] {
    *handle =
        reinterpret_cast<MPI_Op>(keep_object(operation{.call = call, .commutes = commutes != 0}));
  });
}

int MPI_Op_create_c(MPI_User_function_c* call, int commutes, MPI_Op* handle) {
  return guarded({__func__, call, handle}, [&] {
    *handle = reinterpret_cast<MPI_Op>(
        keep_object(operation{.commutes = commutes != 0, .large_call = call}));
  });
}

int MPI_Op_free(MPI_Op* handle) {
  return guarded({__func__, handle}, [&] {
    operation_of(*handle);
    if (is_fixed(*handle)) throw mpi_error(err_op, "the operation is predefined");
    end_object(object_at<operation>(*handle));
    *handle = fixed<MPI_Op>(op_null);
  });
}

int MPI_Op_commutative(MPI_Op handle, int* commutes) {
  return guarded({__func__, commutes},
                 [&] { *commutes = static_cast<int>(operation_of(handle).commutes); });
}
}
