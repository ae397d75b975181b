#pragma once
/// A gauge_writer writes configurations in any known format, with that format's checksum.

#include <functional>
#include <string_view>

#include "io/gauge_format.hpp"
#include "io/staged_file.hpp"

namespace onehop::io {

/// A link_source returns U_mu(site); the site is global, and mu is 0..3 for x, y, z, t. For openQCD
/// the site may also be the one before the block in direction mu, whose coordinate is -1 if the
/// block begins at 0.
using link_source = std::function<const link_matrix&(const lattice_site& site, int mu)>;

/// gauge_means are the means of Re tr P / 3 and Re tr U / 3, for headers.
struct gauge_means {
  double plaquette = 0;
  double link_trace = 0;
};

/// Several ranks write one file: each writes its own block, then one of them writes the frame
/// around the data. The bytes do not depend on which rank wrote which block.
class gauge_writer {
 public:
  /// The constructor throws usage_error for a shape that the format cannot hold.
  gauge_writer(const gauge_format& format, const gauge_shape& shape);

  const gauge_layout& layout() const noexcept { return layout_; }

  /// Writes a block. Throws numeric_error, naming the link, if the link cannot be recovered from
  /// what is written: two rows of a matrix outside SU(3), or a number too large for single
  /// precision.
  void write(const staged_file& file, const site_block& block, const link_source& source);
  /// Returns the checksum of all blocks that this writer wrote.
  const partial_checksum& partial() const noexcept { return layout_.stated_checksum; }

  /// Writes header and trailer; `total` is the checksum of the whole lattice.
  void write_frame(const staged_file& file, const partial_checksum& total,
                   const gauge_means& means) const;

 private:
  const gauge_format& format_;
  gauge_layout layout_;
};

/// Stores `layout.stored_rows` rows; throws like gauge_writer::write.
void store_link(std::byte* to, const link_matrix& link, const gauge_layout& layout,
                const lattice_site& site, int mu);
/// Writes the odd sites of an openQCD file, each with its eight links.
void write_odd_sites(const staged_file& file, const gauge_layout& layout, const site_block& block,
                     const link_source& source);

}  // namespace onehop::io
