#include "rma/halo/site_box.hpp"

namespace onehop {

site_box::site_box(const halo_memory& field, const site_range& sites) {
  const halo_layout& layout = field.layout();
  const auto site_bytes = static_cast<std::ptrdiff_t>(field.site_bytes());
  begin = layout.index(sites.first) * field.site_bytes();
  runs.run_bytes = static_cast<std::size_t>(sites.count[0]) * field.site_bytes();
  const auto joins_next = [&](std::size_t mu) {
    return mu < 3 && !sites.cut[mu] && layout.stride(mu + 1) == layout.stride(mu) * sites.count[mu];
  };
  std::size_t* longest = &runs.run_bytes;
  std::size_t loops = 0;
  for (std::size_t mu = 1; mu < 4; ++mu) {
    if (!joins_next(mu - 1)) {
      runs.strides_bytes[loops] = layout.stride(mu) * site_bytes;
      longest = &runs.counts[loops++];
    }
    *longest *= static_cast<std::size_t>(sites.count[mu]);
  }
}

std::vector<local_view> site_box::views(const std::byte* field) const {
  std::vector<local_view> result;
  for (std::size_t c = 0; c < runs.counts[2]; ++c)
    for (std::size_t b = 0; b < runs.counts[1]; ++b) {
      const auto offset = static_cast<std::ptrdiff_t>(begin) +
                          static_cast<std::ptrdiff_t>(b) * runs.strides_bytes[1] +
                          static_cast<std::ptrdiff_t>(c) * runs.strides_bytes[2];
      result.push_back({field + offset, runs.run_bytes, runs.counts[0], runs.strides_bytes[0]});
    }
  return result;
}

}  // namespace onehop
