#pragma once
/// A site_block is a rectangular block of sites of the global lattice; it consists of contiguous
/// runs in a file.

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>

namespace onehop::io {

/// A lattice_site lists its coordinates in the order x, y, z, t.
using lattice_site = std::array<int, 4>;
using link_matrix = std::array<std::complex<double>, 9>;

struct site_block {
  lattice_site origin{};
  lattice_site extents{};
};

/// Returns the extents as text: "8x8x8x16".
std::string extents_text(const lattice_site& extents);
std::uint64_t site_count(const lattice_site& extents) noexcept;
bool contains(const site_block& block, const lattice_site& site) noexcept;

/// Returns site number `index`, with entry 0 of `extents` running fastest.
lattice_site site_at(const lattice_site& extents, std::uint64_t index) noexcept;

/// Calls visit(first, count) for the pieces of consecutive indices that make up `block`, with entry
/// 0 of the arrays running fastest. A piece is as long as the block allows, but at most `longest`.
template <class Visit>
void for_each_run(const lattice_site& lattice, const site_block& block, std::uint64_t longest,
                  Visit&& visit) {
  if (site_count(block.extents) == 0) return;
  std::size_t inner = 1;
  while (inner < 4 && block.extents[inner - 1] == lattice[inner - 1]) ++inner;
  lattice_site run_extents{1, 1, 1, 1};
  lattice_site outer_extents{1, 1, 1, 1};
  for (std::size_t d = 0; d < 4; ++d) {
    (d < inner ? run_extents : outer_extents)[d] = block.extents[d];
  }
  const std::uint64_t run = site_count(run_extents);
  const std::uint64_t runs = site_count(outer_extents);
  for (std::uint64_t r = 0; r < runs; ++r) {
    const lattice_site step = site_at(outer_extents, r);
    std::uint64_t first = 0;
    for (std::size_t d = 4; d-- > 0;) {
      first = first * static_cast<std::uint64_t>(lattice[d]) +
              static_cast<std::uint64_t>(block.origin[d] + step[d]);
    }
    for (std::uint64_t done = 0; done < run; done += longest) {
      visit(first + done, std::min(longest, run - done));
    }
  }
}

}  // namespace onehop::io
