// The functions of the ABI that make datatypes.

#include <algorithm>
#include <limits>
#include <vector>

#include "base/text.hpp"
#include "mpi/array_types.hpp"
#include "mpi/counted.hpp"
#include "mpi/errors.hpp"
#include "mpi/point_to_point.hpp"

namespace onehop::mpi_abi {
namespace {

std::size_t checked_length(std::ptrdiff_t count) {
  if (count < 0) throw mpi_error(err_count, text("the count is ", count));
  return static_cast<std::size_t>(count);
}

/// A recipe under construction. It stores large counts separately from other integers, and stores
/// displacements in bytes as large counts if the function has large counts.
class recipe {
 public:
  explicit recipe(int combiner) {
    made_.combiner = combiner;
#ifdef ONEHOP_LARGE_COUNTS
    made_.large = true;
#endif
  }
  recipe& integer(int value) {
    made_.integers.push_back(value);
    return *this;
  }
  recipe& count(count_type value) {
#ifdef ONEHOP_LARGE_COUNTS
    made_.counts.push_back(value);
#else
    made_.integers.push_back(value);
#endif
    return *this;
  }
  recipe& address(MPI_Aint value) {
#ifdef ONEHOP_LARGE_COUNTS
    made_.counts.push_back(value);
#else
    made_.addresses.push_back(value);
#endif
    return *this;
  }
  template <class T>
  recipe& counts(count_type number, const T* values) {
    for (count_type i = 0; i < number; ++i) count(static_cast<count_type>(values[i]));
    return *this;
  }
  recipe& addresses(count_type number, const MPI_Aint* values) {
    for (count_type i = 0; i < number; ++i) address(values[i]);
    return *this;
  }
  recipe& type(MPI_Datatype handle) {
    made_.types.push_back(datatype_of(handle));
    return *this;
  }
  std::shared_ptr<const datatype_recipe> made() const {
    return std::make_shared<datatype_recipe>(made_);
  }

 private:
  datatype_recipe made_;
};

using block_vector = std::vector<datatype::block>;

void give(MPI_Datatype* handle, datatype_ptr made, const recipe& from) {
  made->recipe = from.made();
  made->committed = false;
  *handle = new_handle(std::move(made));
}
void give(MPI_Datatype* handle, const block_vector& blocks, const recipe& from) {
  give(handle, std::make_shared<datatype>(blocks), from);
}

/// Makes blocks of equal length that begin `stride` bytes apart.
block_vector strided(count_type count, count_type length, std::ptrdiff_t stride,
                     const datatype_ptr& type) {
  block_vector blocks;
  for (std::size_t i = 0; i < checked_length(count); ++i)
    blocks.push_back({type, checked_length(length), static_cast<std::ptrdiff_t>(i) * stride});
  return blocks;
}

/// Makes blocks that each have their own length and displacement, the latter in units of `unit`
/// bytes.
template <class Displacement>
block_vector listed(count_type count, const count_type* lengths, const Displacement* places,
                    std::ptrdiff_t unit, const datatype_ptr& type) {
  block_vector blocks;
  for (std::size_t i = 0; i < checked_length(count); ++i)
    blocks.push_back({type, checked_length(lengths[i]), places[i] * unit});
  return blocks;
}
template <class Displacement>
block_vector listed(count_type count, count_type length, const Displacement* places,
                    std::ptrdiff_t unit, const datatype_ptr& type) {
  const std::vector<count_type> lengths(checked_length(count), length);
  return listed(count, lengths.data(), places, unit, type);
}

void require_order(int order) {
  if (order != order_c && order != order_fortran)
    throw mpi_error(err_arg, "the order is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN");
}

datatype_ptr make_subarray(int dimensions, const count_type* whole, const count_type* parts,
                           const count_type* begins, int order, MPI_Datatype old) {
  if (dimensions < 1) throw mpi_error(err_arg, "a subarray has no dimensions");
  require_order(order);
  std::vector<extent_of> extents;
  for (int d = 0; d < dimensions; ++d) extents.push_back({whole[d], parts[d], begins[d]});
  if (order == order_c) std::ranges::reverse(extents);
  return subarray(extents, datatype_of(old));
}

/// The arguments of MPI_Type_create_darray for one dimension: its extent, and its distribution.
struct dimension {
  count_type whole;
  int how, block, ranks;
};

/// Ranks are numbered in C order, even if the array is in Fortran order.
datatype_ptr make_shared_array(int ranks, int rank, const std::vector<dimension>& dimensions,
                               int order, MPI_Datatype old) {
  require_order(order);
  if (rank < 0 || rank >= ranks) throw mpi_error(err_arg, text("the rank is ", rank));
  std::vector<share_of> shares(dimensions.size());
  int left = rank, product = 1;
  for (std::size_t d = dimensions.size(); d-- > 0;) {
    const dimension& one = dimensions[d];
    if (one.ranks < 1) throw mpi_error(err_arg, text("a dimension has ", one.ranks, " ranks"));
    shares[d] = share(one.whole, one.how, one.block, one.ranks, left % one.ranks);
    left /= one.ranks;
    product *= one.ranks;
  }
  if (product != ranks) throw mpi_error(err_arg, "the ranks of the dimensions are not all ranks");
  if (order == order_c) std::ranges::reverse(shares);
  return shared_array(shares, datatype_of(old));
}

}  // namespace
}  // namespace onehop::mpi_abi

using namespace onehop::mpi_abi;

extern "C" {

int ONEHOP_ABI(MPI_Type_contiguous)(count_type count, MPI_Datatype old, MPI_Datatype* made) {
  return guarded({__func__, made}, [&] {
    give(made, {{datatype_of(old), checked_length(count), 0}},
         recipe(combiner_contiguous).count(count).type(old));
  });
}

int ONEHOP_ABI(MPI_Type_vector)(count_type count, count_type length, count_type stride,
                                MPI_Datatype old, MPI_Datatype* made) {
  return guarded({__func__, made}, [&] {
    const datatype_ptr& type = datatype_of(old);
    give(made, strided(count, length, stride * type->extent(), type),
         recipe(combiner_vector).count(count).count(length).count(stride).type(old));
  });
}

int ONEHOP_ABI(MPI_Type_create_hvector)(count_type count, count_type length, MPI_Aint stride,
                                        MPI_Datatype old, MPI_Datatype* made) {
  return guarded({__func__, made}, [&] {
    give(made, strided(count, length, stride, datatype_of(old)),
         recipe(combiner_hvector).count(count).count(length).address(stride).type(old));
  });
}

int ONEHOP_ABI(MPI_Type_indexed)(count_type count, const count_type* lengths,
                                 const count_type* places, MPI_Datatype old, MPI_Datatype* made) {
  return guarded({__func__, list_of{lengths, count}, list_of{places, count}, made}, [&] {
    const datatype_ptr& type = datatype_of(old);
    give(made, listed(count, lengths, places, type->extent(), type),
         recipe(combiner_indexed)
             .count(count)
             .counts(count, lengths)
             .counts(count, places)
             .type(old));
  });
}

int ONEHOP_ABI(MPI_Type_create_hindexed)(count_type count, const count_type* lengths,
                                         const MPI_Aint* places, MPI_Datatype old,
                                         MPI_Datatype* made) {
  return guarded({__func__, list_of{lengths, count}, list_of{places, count}, made}, [&] {
    give(made, listed(count, lengths, places, 1, datatype_of(old)),
         recipe(combiner_hindexed)
             .count(count)
             .counts(count, lengths)
             .addresses(count, places)
             .type(old));
  });
}

int ONEHOP_ABI(MPI_Type_create_indexed_block)(count_type count, count_type length,
                                              const count_type* places, MPI_Datatype old,
                                              MPI_Datatype* made) {
  return guarded({__func__, list_of{places, count}, made}, [&] {
    const datatype_ptr& type = datatype_of(old);
    give(made, listed(count, length, places, type->extent(), type),
         recipe(combiner_indexed_block).count(count).count(length).counts(count, places).type(old));
  });
}

int ONEHOP_ABI(MPI_Type_create_hindexed_block)(count_type count, count_type length,
                                               const MPI_Aint* places, MPI_Datatype old,
                                               MPI_Datatype* made) {
  return guarded({__func__, list_of{places, count}, made}, [&] {
    give(made, listed(count, length, places, 1, datatype_of(old)),
         recipe(combiner_hindexed_block)
             .count(count)
             .count(length)
             .addresses(count, places)
             .type(old));
  });
}

int ONEHOP_ABI(MPI_Type_create_struct)(count_type count, const count_type* lengths,
                                       const MPI_Aint* places, const MPI_Datatype* types,
                                       MPI_Datatype* made) {
  return guarded(
      {__func__, list_of{lengths, count}, list_of{places, count}, list_of{types, count}, made},
      [&] {
        block_vector blocks;
        recipe from(combiner_struct);
        from.count(count).counts(count, lengths).addresses(count, places);
        for (std::size_t i = 0; i < checked_length(count); ++i) {
          blocks.push_back({datatype_of(types[i]), checked_length(lengths[i]), places[i]});
          from.type(types[i]);
        }
        give(made, std::make_shared<datatype>(datatype(blocks).padded()), from);
      });
}

int ONEHOP_ABI(MPI_Type_create_subarray)(int dimensions, const count_type* whole,
                                         const count_type* parts, const count_type* begins,
                                         int order, MPI_Datatype old, MPI_Datatype* made) {
  return guarded({__func__, list_of{whole, dimensions}, list_of{parts, dimensions},
                  list_of{begins, dimensions}, made},
                 [&] {
                   recipe from(combiner_subarray);
                   from.integer(dimensions).counts(dimensions, whole).counts(dimensions, parts);
                   give(made, make_subarray(dimensions, whole, parts, begins, order, old),
                        from.counts(dimensions, begins).integer(order).type(old));
                 });
}

int ONEHOP_ABI(MPI_Type_create_darray)(int ranks, int rank, int dimensions, const count_type* whole,
                                       const int* ways, const int* blocks, const int* counts,
                                       int order, MPI_Datatype old, MPI_Datatype* made) {
  return guarded({__func__, list_of{whole, dimensions}, list_of{ways, dimensions},
                  list_of{blocks, dimensions}, list_of{counts, dimensions}, made},
                 [&] {
                   recipe from(combiner_darray);
                   from.integer(ranks).integer(rank).integer(dimensions).counts(dimensions, whole);
                   std::vector<dimension> shape;
                   for (int d = 0; d < dimensions; ++d)
                     shape.push_back({whole[d], ways[d], blocks[d], counts[d]});
                   for (const int* const list : {ways, blocks, counts})
                     for (int d = 0; d < dimensions; ++d) from.integer(list[d]);
                   give(made, make_shared_array(ranks, rank, shape, order, old),
                        from.integer(order).type(old));
                 });
}

int ONEHOP_ABI(MPI_Type_create_resized)(MPI_Datatype old, MPI_Aint lower, MPI_Aint extent,
                                        MPI_Datatype* made) {
  return guarded({__func__, made}, [&] {
    give(made, std::make_shared<datatype>(datatype_of(old)->resized(lower, extent)),
         recipe(combiner_resized).address(lower).address(extent).type(old));
  });
}
}
