#include <utility>
#include <vector>

#include "io/gauge_reader.hpp"
#include "io/gauge_writer.hpp"

namespace onehop::io {
namespace {

// Each odd site x holds U_mu(x) and U_mu(x-mu) for mu = t, x, y, z.
constexpr std::uint64_t links_per_site = 8;
constexpr std::uint64_t sites_per_run = 512;
constexpr std::array<int, 4> stored_directions{3, 0, 1, 2};

// Converts between coordinates in the order x, y, z, t and the file's order, which counts z
// fastest, then y, x, t; the conversion is its own inverse.
lattice_site file_order(const lattice_site& a) noexcept { return {a[2], a[1], a[0], a[3]}; }

lattice_site one_back(lattice_site site, int mu, const lattice_site& extents) noexcept {
  const auto d = static_cast<std::size_t>(mu);
  site[d] = (site[d] == 0 ? extents[d] : site[d]) - 1;
  return site;
}

// Calls visit(site, k) for the odd sites among the consecutive indices first .. last-1 of the
// file's order. With an even z extent each pair 2k, 2k+1 contains one odd site, which has number k
// in the file.
template <class Visit>
void for_each_odd_site(const lattice_site& lattice, std::uint64_t first, std::uint64_t last,
                       Visit&& visit) {
  for (std::uint64_t pair = first / 2; pair < (last + 1) / 2; ++pair) {
    const lattice_site even_z = site_at(lattice, 2 * pair);
    const bool first_is_odd = (even_z[0] + even_z[1] + even_z[2] + even_z[3]) % 2 != 0;
    const std::uint64_t index = 2 * pair + (first_is_odd ? 0 : 1);
    if (index >= first && index < last) visit(file_order(site_at(lattice, index)), pair);
  }
}

class odd_site_scan {
 public:
  odd_site_scan(const input_file& file, const gauge_layout& layout)
      : file_(file), layout_(layout), lattice_(file_order(layout.extents)) {}

  /// Calls visit(site, bytes) for the odd sites of `block`.
  template <class Visit>
  void each(const site_block& block, Visit&& visit) {
    const site_block permuted{file_order(block.origin), file_order(block.extents)};
    for_each_run(lattice_, permuted, 2 * sites_per_run,
                 [&](std::uint64_t first, std::uint64_t n) { read_run(first, first + n, visit); });
  }

 private:
  template <class Visit>
  void read_run(std::uint64_t first, std::uint64_t last, Visit& visit) {
    const std::uint64_t first_pair = first / 2;
    const std::uint64_t last_pair = (last + 1) / 2;
    const std::uint64_t odd_site_bytes = links_per_site * layout_.site_bytes() / 4;
    buffer_.resize((last_pair - first_pair) * odd_site_bytes);
    file_.read(layout_.data_offset + first_pair * odd_site_bytes, buffer_);
    for_each_odd_site(lattice_, first, last, [&](const lattice_site& site, std::uint64_t pair) {
      visit(site, buffer_.data() + (pair - first_pair) * odd_site_bytes);
    });
  }

  const input_file& file_;
  const gauge_layout& layout_;
  lattice_site lattice_;
  std::vector<std::byte> buffer_;
};

// Returns the sites just above the block in direction mu, which hold links of its uppermost sites.
site_block upper_face(const site_block& block, int mu, const lattice_site& lattice) noexcept {
  const auto d = static_cast<std::size_t>(mu);
  site_block face = block;
  face.origin[d] = (block.origin[d] + block.extents[d]) % lattice[d];
  face.extents[d] = 1;
  return face;
}

}  // namespace

void read_odd_sites(const input_file& file, const gauge_layout& layout, const site_block& block,
                    const link_sink& sink) {
  odd_site_scan scan(file, layout);
  const std::size_t link_bytes = layout.site_bytes() / 4;
  const auto take_backward = [&](const lattice_site& site, const std::byte* from, std::size_t k) {
    const int mu = stored_directions[k];
    const lattice_site owner = one_back(site, mu, layout.extents);
    if (contains(block, owner)) sink(owner, mu, load_link(from + (2 * k + 1) * link_bytes, layout));
  };
  scan.each(block, [&](const lattice_site& site, const std::byte* from) {
    for (std::size_t k = 0; k < 4; ++k) {
      sink(site, stored_directions[k], load_link(from + 2 * k * link_bytes, layout));
      take_backward(site, from, k);
    }
  });
  for (std::size_t k = 0; k < 4; ++k) {
    const auto d = static_cast<std::size_t>(stored_directions[k]);
    if (block.extents[d] == layout.extents[d]) continue;
    scan.each(
        upper_face(block, stored_directions[k], layout.extents),
        [&](const lattice_site& site, const std::byte* from) { take_backward(site, from, k); });
  }
}

void write_odd_sites(const staged_file& file, const gauge_layout& layout, const site_block& block,
                     const link_source& source) {
  const std::size_t link_bytes = layout.site_bytes() / 4;
  const std::uint64_t odd_site_bytes = links_per_site * link_bytes;
  const lattice_site lattice = file_order(layout.extents);
  std::vector<std::byte> buffer;
  const auto store_site = [&](const lattice_site& site, std::byte* to) {
    for (const int mu : stored_directions) {
      lattice_site before = site;
      --before[static_cast<std::size_t>(mu)];
      store_link(to, source(site, mu), layout, site, mu);
      store_link(to + link_bytes, source(before, mu), layout, before, mu);
      to += 2 * link_bytes;
    }
  };
  // Blocks of ranks may begin or end within a pair, so each odd site is written by its owner.
  const auto write_run = [&](std::uint64_t first, std::uint64_t count) {
    buffer.clear();
    std::uint64_t first_pair = 0;
    for_each_odd_site(lattice, first, first + count,
                      [&](const lattice_site& site, std::uint64_t pair) {
                        if (buffer.empty()) first_pair = pair;
                        buffer.resize(buffer.size() + odd_site_bytes);
                        store_site(site, buffer.data() + buffer.size() - odd_site_bytes);
                      });
    if (!buffer.empty()) file.write(layout.data_offset + first_pair * odd_site_bytes, buffer);
  };
  const site_block permuted{file_order(block.origin), file_order(block.extents)};
  for_each_run(lattice, permuted, 2 * sites_per_run, write_run);
}

}  // namespace onehop::io
