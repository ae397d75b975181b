// The functions of the ABI that make datatypes and say what they are.

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "mpi/errors.hpp"
#include "mpi/point_to_point.hpp"

namespace onehop::mpi_abi {
namespace {

std::size_t checked_length(std::ptrdiff_t count) {
  if (count < 0) throw mpi_error(err_count, text("the count is ", count));
  return static_cast<std::size_t>(count);
}

using block_vector = std::vector<datatype::block>;

void give(MPI_Datatype* handle, const block_vector& blocks) {
  *handle = new_handle(std::make_shared<datatype>(blocks));
}

/// Blocks of equal length, whose begins lie `stride` bytes apart.
block_vector strided(int count, int length, std::ptrdiff_t stride, const datatype& type) {
  block_vector blocks;
  for (std::size_t i = 0; i < checked_length(count); ++i)
    blocks.push_back({&type, checked_length(length), static_cast<std::ptrdiff_t>(i) * stride});
  return blocks;
}

/// Blocks with lengths and displacements of their own, the latter in units of `unit` bytes.
template <class Displacement>
block_vector listed(int count, const int* lengths, const Displacement* places, std::ptrdiff_t unit,
                    const datatype& type) {
  block_vector blocks;
  for (std::size_t i = 0; i < checked_length(count); ++i)
    blocks.push_back({&type, checked_length(lengths[i]), places[i] * unit});
  return blocks;
}
template <class Displacement>
block_vector listed(int count, int length, const Displacement* places, std::ptrdiff_t unit,
                    const datatype& type) {
  const std::vector<int> lengths(checked_length(count), length);
  return listed(count, lengths.data(), places, unit, type);
}

/// One dimension of a subarray.
struct extent_of {
  int whole, part, begin;
};

/// Makes the type of a subarray from the dimension that runs fastest on: each step places the type
/// so far `part` times in an array of `whole`.
datatype_ptr subarray(const std::vector<extent_of>& fastest_first, datatype_ptr type) {
  for (const extent_of& one : fastest_first) {
    if (one.whole < 1 || one.part < 1 || one.begin < 0 || one.begin > one.whole - one.part)
      throw mpi_error(err_arg, text("a subarray has ", one.part, " of ", one.whole,
                                    " elements from element ", one.begin, " on"));
    const std::ptrdiff_t step = type->extent();
    const datatype::block block{type.get(), static_cast<std::size_t>(one.part), one.begin * step};
    const datatype part(std::span(&block, 1));
    type = std::make_shared<datatype>(part.resized(0, one.whole * step));
  }
  return type;
}

void require_room(int room, int position, std::size_t bytes) {
  if (position < 0 || position > room || bytes > static_cast<std::size_t>(room - position))
    throw mpi_error(err_truncate, text("a buffer of ", room, " bytes has no ", bytes,
                                       " bytes from byte ", position, " on"));
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int MPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype* made) {
  return guarded("MPI_Type_contiguous", [&] {
    give(made, {{datatype_of(old).get(), checked_length(count), 0}});
  });
}

int MPI_Type_vector(int count, int length, int stride, MPI_Datatype old, MPI_Datatype* made) {
  return guarded("MPI_Type_vector", [&] {
    const datatype& type = *datatype_of(old);
    give(made, strided(count, length, stride * type.extent(), type));
  });
}

int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old,
                            MPI_Datatype* made) {
  return guarded("MPI_Type_create_hvector",
                 [&] { give(made, strided(count, length, stride, *datatype_of(old))); });
}

int MPI_Type_indexed(int count, const int* lengths, const int* places, MPI_Datatype old,
                     MPI_Datatype* made) {
  return guarded("MPI_Type_indexed", [&] {
    const datatype& type = *datatype_of(old);
    give(made, listed(count, lengths, places, type.extent(), type));
  });
}

int MPI_Type_create_hindexed(int count, const int* lengths, const MPI_Aint* places,
                             MPI_Datatype old, MPI_Datatype* made) {
  return guarded("MPI_Type_create_hindexed",
                 [&] { give(made, listed(count, lengths, places, 1, *datatype_of(old))); });
}

int MPI_Type_create_indexed_block(int count, int length, const int* places, MPI_Datatype old,
                                  MPI_Datatype* made) {
  return guarded("MPI_Type_create_indexed_block", [&] {
    const datatype& type = *datatype_of(old);
    give(made, listed(count, length, places, type.extent(), type));
  });
}

int MPI_Type_create_hindexed_block(int count, int length, const MPI_Aint* places, MPI_Datatype old,
                                   MPI_Datatype* made) {
  return guarded("MPI_Type_create_hindexed_block",
                 [&] { give(made, listed(count, length, places, 1, *datatype_of(old))); });
}

int MPI_Type_create_struct(int count, const int* lengths, const MPI_Aint* places,
                           const MPI_Datatype* types, MPI_Datatype* made) {
  return guarded("MPI_Type_create_struct", [&] {
    block_vector blocks;
    for (std::size_t i = 0; i < checked_length(count); ++i)
      blocks.push_back({datatype_of(types[i]).get(), checked_length(lengths[i]), places[i]});
    *made = new_handle(std::make_shared<datatype>(datatype(blocks).padded()));
  });
}

int MPI_Type_create_subarray(int dimensions, const int* whole, const int* parts, const int* begins,
                             int order, MPI_Datatype old, MPI_Datatype* made) {
  return guarded("MPI_Type_create_subarray", [&] {
    if (dimensions < 1) throw mpi_error(err_arg, "a subarray has no dimensions");
    if (order != order_c && order != order_fortran)
      throw mpi_error(err_arg, "the order is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN");
    std::vector<extent_of> extents;
    for (int d = 0; d < dimensions; ++d) extents.push_back({whole[d], parts[d], begins[d]});
    if (order == order_c) std::ranges::reverse(extents);
    *made = new_handle(subarray(extents, datatype_of(old)));
  });
}

int MPI_Type_create_resized(MPI_Datatype old, MPI_Aint lower, MPI_Aint extent, MPI_Datatype* made) {
  return guarded("MPI_Type_create_resized", [&] {
    *made = new_handle(std::make_shared<datatype>(datatype_of(old)->resized(lower, extent)));
  });
}

int MPI_Type_dup(MPI_Datatype old, MPI_Datatype* made) {
  return guarded("MPI_Type_dup",
                 [&] { *made = new_handle(std::make_shared<datatype>(*datatype_of(old))); });
}

int MPI_Type_commit(MPI_Datatype* type) {
  return guarded("MPI_Type_commit", [&] { datatype_of(*type)->committed = true; });
}

int MPI_Type_free(MPI_Datatype* type) {
  return guarded("MPI_Type_free", [&] {
    if (is_fixed(*type))
      throw mpi_error(err_type, "the datatype is predefined or MPI_DATATYPE_NULL");
    free_handle(*type);
    *type = fixed<MPI_Datatype>(datatype_null);
  });
}

int MPI_Type_size(MPI_Datatype type, int* size) {
  return guarded("MPI_Type_size", [&] {
    const std::size_t bytes = datatype_of(type)->size();
    const bool fits = bytes <= std::numeric_limits<int>::max();
    *size = fits ? static_cast<int>(bytes) : undefined;
  });
}

int MPI_Type_get_extent(MPI_Datatype type, MPI_Aint* lower, MPI_Aint* extent) {
  return guarded("MPI_Type_get_extent", [&] {
    *lower = datatype_of(type)->lower();
    *extent = datatype_of(type)->extent();
  });
}

int MPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint* lower, MPI_Aint* extent) {
  return guarded("MPI_Type_get_true_extent", [&] {
    *lower = datatype_of(type)->true_lower();
    *extent = datatype_of(type)->true_extent();
  });
}

int MPI_Pack_size(int count, MPI_Datatype type, MPI_Comm, int* bytes) {
  return guarded("MPI_Pack_size", [&] {
    *bytes = static_cast<int>(checked_length(count) * datatype_of(type)->size());
  });
}

int MPI_Pack(const void* from, int count, MPI_Datatype type, void* packed, int room, int* position,
             MPI_Comm comm) {
  return guarded(comm, "MPI_Pack", [&] {
    const typed_buffer what = checked(from, count, type);
    const std::size_t bytes = what.count * what.type->size();
    require_room(room, *position, bytes);
    what.type->pack(from, what.count, static_cast<std::byte*>(packed) + *position);
    *position += static_cast<int>(bytes);
  });
}

int MPI_Unpack(const void* packed, int room, int* position, void* to, int count, MPI_Datatype type,
               MPI_Comm comm) {
  return guarded(comm, "MPI_Unpack", [&] {
    const typed_buffer what = checked(to, count, type);
    const std::size_t bytes = what.count * what.type->size();
    require_room(room, *position, bytes);
    what.type->unpack({static_cast<const std::byte*>(packed) + *position, bytes}, to);
    *position += static_cast<int>(bytes);
  });
}
}
