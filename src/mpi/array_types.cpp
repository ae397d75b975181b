#include "mpi/array_types.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "mpi/errors.hpp"

namespace onehop::mpi_abi {

// Each step repeats the type made so far `part` times within an array of `whole`.
datatype_ptr subarray(const std::vector<extent_of>& fastest_first, datatype_ptr type) {
  for (const extent_of& one : fastest_first) {
    if (one.whole < 1 || one.part < 1 || one.begin < 0 || one.begin > one.whole - one.part)
      throw mpi_error(err_arg, text("a subarray has ", one.part, " of ", one.whole,
                                    " elements from element ", one.begin, " on"));
    const std::ptrdiff_t step = type->extent();
    const datatype::block block{type, static_cast<std::size_t>(one.part), one.begin * step};
    const datatype part(std::span(&block, 1));
    type = std::make_shared<datatype>(part.resized(0, one.whole * step));
  }
  return type;
}

share_of share(std::ptrdiff_t whole, int how, int block, int ranks, int rank) {
  std::ptrdiff_t at_a_time = block;
  if (how == distribute_none) {
    if (ranks != 1) throw mpi_error(err_arg, "a dimension that is not shared has several ranks");
    at_a_time = whole;
  } else if (block == default_distribution) {
    at_a_time = how == distribute_block ? (whole + ranks - 1) / ranks : 1;
  } else if (how == distribute_block && at_a_time * ranks < whole) {
    throw mpi_error(err_arg,
                    text(ranks, " blocks of ", block, " are less than ", whole, " elements"));
  }
  if (at_a_time < 1 ||
      (how != distribute_none && how != distribute_block && how != distribute_cyclic))
    throw mpi_error(err_arg, "the distribution of a dimension is not valid");
  share_of mine{whole, {}};
  for (std::ptrdiff_t begin = rank * at_a_time; begin < whole; begin += at_a_time * ranks)
    for (std::ptrdiff_t i = begin; i < std::min(whole, begin + at_a_time); ++i)
      mine.places.push_back(i);
  return mine;
}

datatype_ptr shared_array(const std::vector<share_of>& fastest_first, datatype_ptr type) {
  for (const share_of& one : fastest_first) {
    const std::ptrdiff_t step = type->extent();
    std::vector<datatype::block> blocks;
    for (const std::ptrdiff_t place : one.places) {
      datatype::block* const last = blocks.empty() ? nullptr : &blocks.back();
      if (last != nullptr &&
          last->displacement + static_cast<std::ptrdiff_t>(last->count) * step == place * step)
        ++last->count;
      else
        blocks.push_back({type, 1, place * step});
    }
    type = std::make_shared<datatype>(datatype(blocks).resized(0, one.whole * step));
  }
  return type;
}

}  // namespace onehop::mpi_abi
