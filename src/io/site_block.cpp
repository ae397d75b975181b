#include "io/site_block.hpp"

#include "base/text.hpp"

namespace onehop::io {

std::string extents_text(const lattice_site& extents) {
  return text(extents[0], 'x', extents[1], 'x', extents[2], 'x', extents[3]);
}

std::uint64_t site_count(const lattice_site& extents) noexcept {
  std::uint64_t count = 1;
  for (const int extent : extents) count *= static_cast<std::uint64_t>(extent);
  return count;
}

bool contains(const site_block& block, const lattice_site& site) noexcept {
  for (std::size_t d = 0; d < 4; ++d) {
    const int step = site[d] - block.origin[d];
    if (step < 0 || step >= block.extents[d]) return false;
  }
  return true;
}

lattice_site site_at(const lattice_site& extents, std::uint64_t index) noexcept {
  lattice_site site;
  for (std::size_t d = 0; d < 4; ++d) {
    const auto extent = static_cast<std::uint64_t>(extents[d]);
    site[d] = static_cast<int>(index % extent);
    index /= extent;
  }
  return site;
}

}  // namespace onehop::io
