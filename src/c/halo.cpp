#include <algorithm>

#include "base/text.hpp"
#include "c/handles.hpp"

using namespace onehop::c;

namespace {

std::vector<int> numbers(const int* first, int count, const char* call, const char* what) {
  constexpr int most = 4;
  if (count > most)
    throw onehop::usage_error(
        onehop::text(call, ": ", what, " has ", count, " entries: give at most ", most));
  const auto all = list(first, static_cast<std::size_t>(std::max(0, count)), call, what);
  return {all.begin(), all.end()};
}

void copy_out(const onehop::coordinate& from, int dimensions, int* to) {
  for (int mu = 0; to != nullptr && mu < dimensions; ++mu)
    to[mu] = from[static_cast<std::size_t>(mu)];
}

onehop::halo_layout layout_of(const onehop_grid* grid, int width, const char* call) {
  return {at(grid, call, "the grid").ranks, {.width = width}};
}

onehop::halo_exchange& exchange_of(onehop_halo* halo, const char* call) {
  return at(halo, call, "the halo").exchange;
}

}  // namespace

int onehop_grid_make(const onehop_context* ctx, int dimensions, const int* extents, const int* grid,
                     const int* periodic, onehop_grid** made) {
  return guarded(__func__, [&](const char* call) {
    const onehop::context& job = at(ctx, call, "the context").ctx;
    onehop::cartesian_options how;
    const std::vector<int> sites = numbers(extents, dimensions, call, "the list of extents");
    if (grid != nullptr) how.grid = numbers(grid, dimensions, call, "the grid");
    for (int mu = 0; periodic != nullptr && mu < dimensions; ++mu)
      how.periodic.push_back(periodic[mu] != 0);
    give(made, call, onehop_grid{onehop::cartesian(job, sites, how)});
  });
}

int onehop_grid_block(const onehop_grid* grid, int* local, int* origin, int* position) {
  return guarded(__func__, [&](const char* call) {
    const onehop::cartesian& ranks = at(grid, call, "the grid").ranks;
    copy_out(ranks.local(), ranks.dimensions(), local);
    copy_out(ranks.origin(), ranks.dimensions(), origin);
    copy_out(ranks.position(), ranks.dimensions(), position);
  });
}

int onehop_grid_neighbour(const onehop_grid* grid, int dimension, int sign, int* rank) {
  return guarded(__func__, [&](const char* call) {
    const onehop::cartesian& ranks = at(grid, call, "the grid").ranks;
    if (dimension < 0 || dimension >= ranks.dimensions() || (sign != 1 && sign != -1))
      throw onehop::usage_error(onehop::text(call, " in dimension ", dimension, ", sign ", sign,
                                             ": dimensions are 0 to ", ranks.dimensions() - 1,
                                             ", signs 1 and -1"));
    at(rank, call, "rank") = ranks.neighbour(dimension, sign);
  });
}

int onehop_grid_along(const onehop_grid* grid, const int* dimensions, int count,
                      onehop_context** made) {
  return guarded(__func__, [&](const char* call) {
    const onehop::cartesian& ranks = at(grid, call, "the grid").ranks;
    const std::vector<int> along = numbers(dimensions, count, call, "the list of dimensions");
    give(made, call, onehop_context{ranks.along(along)});
  });
}

int onehop_grid_free(onehop_grid* grid) { return free_handle(grid); }

int onehop_field_sites(const onehop_grid* grid, int width, size_t* sites, size_t* shape) {
  return guarded(__func__, [&](const char* call) {
    const onehop::halo_layout layout = layout_of(grid, width, call);
    if (sites != nullptr) *sites = layout.volume();
    for (int mu = 0; shape != nullptr && mu < layout.ranks().dimensions(); ++mu)
      shape[mu] = static_cast<std::size_t>(layout.ranks().local()[static_cast<std::size_t>(mu)]) +
                  static_cast<std::size_t>(layout.width(mu, 0)) +
                  static_cast<std::size_t>(layout.width(mu, 1));
  });
}

int onehop_field_make(const onehop_grid* grid, size_t site_bytes, int width, onehop_field** made) {
  return guarded(__func__, [&](const char* call) {
    const onehop::halo_layout layout = layout_of(grid, width, call);
    std::vector<std::byte> own(product(layout.volume(), site_bytes, call, "sites"));
    const std::span<std::byte> memory(own);
    give(made, call, onehop_field{std::move(own), onehop::halo_memory(layout, site_bytes, memory)});
  });
}

int onehop_field_make_over(const onehop_grid* grid, size_t site_bytes, int width, void* memory,
                           size_t bytes, onehop_field** made) {
  return guarded(__func__, [&](const char* call) {
    const onehop::halo_memory over(layout_of(grid, width, call), site_bytes,
                                   bytes_at(memory, bytes, call, "the memory"));
    give(made, call, onehop_field{{}, over});
  });
}

int onehop_field_data(const onehop_field* field, void** sites) {
  return guarded(__func__, [&](const char* call) {
    at(sites, call, "the place for the sites") =
        at(field, call, "the field").memory.memory().data();
  });
}

int onehop_field_free(onehop_field* field) { return free_handle(field); }

int onehop_halo_make(onehop_field* const* fields, size_t count, int corners, onehop_halo** made) {
  return guarded(__func__, [&](const char* call) {
    std::vector<onehop::halo_memory*> all;
    for (onehop_field* const field : list(fields, count, call, "the list of fields"))
      all.push_back(&at(field, call, "a field").memory);
    give(made, call, onehop_halo{onehop::halo_exchange(all, {.corners = corners != 0})});
  });
}

int onehop_halo_start(onehop_halo* halo) {
  return guarded(__func__, [&](const char* call) { exchange_of(halo, call).start(); });
}

int onehop_halo_start_partial(onehop_halo* halo) {
  return guarded(__func__, [&](const char* call) { exchange_of(halo, call).start_partial(); });
}

int onehop_halo_ready(onehop_halo* halo, int dimension, int side) {
  return guarded(__func__, [&](const char* call) {
    exchange_of(halo, call).ready(onehop::face{dimension, side});
  });
}

int onehop_halo_wait(onehop_halo* halo) {
  return guarded(__func__, [&](const char* call) { exchange_of(halo, call).wait(); });
}

int onehop_halo_wait_for(onehop_halo* halo, int dimension, int side) {
  return guarded(__func__, [&](const char* call) {
    exchange_of(halo, call).wait(onehop::face{dimension, side});
  });
}

int onehop_halo_test(onehop_halo* halo, int* over) {
  return guarded(__func__, [&](const char* call) {
    int& to = at(over, call, "over");
    to = exchange_of(halo, call).test() ? 1 : 0;
  });
}

int onehop_halo_free(onehop_halo* halo) { return free_handle(halo); }
