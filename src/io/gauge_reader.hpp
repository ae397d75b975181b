#pragma once
/// A gauge_reader reads blocks of links from a configuration file of any known format.

#include <functional>
#include <string>

#include "io/gauge_layout.hpp"

namespace onehop::io {

/// A link_sink receives U_mu(site); the site is global, and mu is 0..3 for x, y, z, t.
using link_sink = std::function<void(const lattice_site& site, int mu, const link_matrix& link)>;

/// Several ranks read one file, each with its own reader for its own block; together the blocks
/// must cover the lattice exactly once, or the checksum will not match.
class gauge_reader {
 public:
  /// Recognises the format from the content and reads the header. Throws file_error.
  static gauge_reader open(const std::string& path);

  const gauge_layout& layout() const noexcept { return layout_; }
  const std::string& path() const noexcept { return file_.path(); }

  /// Passes every link of the block to `sink` once, in the file's order and promoted to double, and
  /// reads only the necessary parts of the file. Throws file_error.
  void read(const site_block& block, const link_sink& sink);

  /// Returns the checksum of everything read so far.
  const partial_checksum& partial() const noexcept { return partial_; }
  /// Compares the checksum of the whole lattice with the header's; does nothing if the header has
  /// none. Throws checksum_error naming both values.
  void verify(const partial_checksum& total) const;

 private:
  gauge_reader(input_file file, gauge_layout layout);
  void read_sites(const site_block& block, const link_sink& sink);

  input_file file_;
  gauge_layout layout_;
  partial_checksum partial_;
};

/// Reads the links of an openQCD file, whose odd sites hold the links of both parities.
void read_odd_sites(const input_file& file, const gauge_layout& layout, const site_block& block,
                    const link_sink& sink);

/// Loads one matrix from `layout.stored_rows` rows of numbers.
link_matrix load_link(const std::byte* from, const gauge_layout& layout) noexcept;

}  // namespace onehop::io
