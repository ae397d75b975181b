#include <algorithm>

#include "base/text.hpp"
#include "mpi/errors.hpp"
#include "mpi/file.hpp"

namespace onehop::mpi_abi {

MPI_Offset file_view::byte_of(MPI_Offset offset, std::size_t bytes) const {
  if (offset < 0) throw mpi_error(err_arg, text("the offset is ", offset));
  const auto tile = std::max<std::size_t>(1, filetype->size());
  const MPI_Offset extent = filetype->extent();
  MPI_Offset begin = 0, end = 0;
  bool is_behind = __builtin_mul_overflow(offset, etype->size(), &begin);
  is_behind |= __builtin_add_overflow(begin, bytes, &end);
  is_behind |= __builtin_mul_overflow(end / static_cast<MPI_Offset>(tile), extent, &end);
  is_behind |= __builtin_add_overflow(end, extent, &end);
  is_behind |= __builtin_add_overflow(end, displacement, &end);
  if (is_behind) throw mpi_error(err_arg, text("no file reaches to offset ", offset));
  return begin;
}

// If a file type is one run, its segments need not be searched.
MPI_Offset file_view::place_of(MPI_Offset byte) const {
  const auto size = static_cast<MPI_Offset>(filetype->size());
  if (size == 0) return displacement;
  MPI_Offset place = displacement + byte / size * filetype->extent();
  auto left = static_cast<std::size_t>(byte % size);
  for (const datatype::segment& one : filetype->segments()) {
    if (left < one.bytes) return place + one.offset + static_cast<MPI_Offset>(left);
    left -= one.bytes;
  }
  return place;
}

MPI_Offset file_view::bytes_below(MPI_Offset place) const {
  if (place <= displacement || filetype->size() == 0) return 0;
  const MPI_Offset extent = filetype->extent(), within = place - displacement;
  MPI_Offset bytes = within / extent * static_cast<MPI_Offset>(filetype->size());
  for (const datatype::segment& one : filetype->segments())
    bytes +=
        std::clamp<MPI_Offset>(within % extent - one.offset, 0, static_cast<MPI_Offset>(one.bytes));
  return bytes;
}

void file_view::for_each_run(MPI_Offset byte, std::size_t bytes,
                             const std::function<bool(MPI_Offset, std::size_t)>& take) const {
  if (bytes == 0) return;
  if (filetype->size() == 0) throw mpi_error(err_io, "the file type of the view has no bytes");
  if (filetype->contiguous()) {
    take(displacement + byte, bytes);
    return;
  }
  const auto size = static_cast<MPI_Offset>(filetype->size());
  MPI_Offset tile = displacement + byte / size * filetype->extent();
  auto skipped = static_cast<std::size_t>(byte % size);
  for (;; tile += filetype->extent())
    for (const datatype::segment& one : filetype->segments()) {
      if (skipped >= one.bytes) {
        skipped -= one.bytes;
        continue;
      }
      const std::size_t run = std::min(bytes, one.bytes - skipped);
      if (!take(tile + one.offset + static_cast<MPI_Offset>(skipped), run)) return;
      skipped = 0;
      bytes -= run;
      if (bytes == 0) return;
    }
}

}  // namespace onehop::mpi_abi
