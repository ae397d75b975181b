#pragma once
/// Writes configurations as NERSC or ILDG files, 64 bit big-endian with checksums.

#include <functional>
#include <string>
#include <string_view>

#include "io/checksum.hpp"
#include "io/site_block.hpp"
#include "io/staged_file.hpp"

namespace onehop::io {

/// Gives U_mu(site), site global, mu 0..3 for x, y, z, t.
using link_source = std::function<const link_matrix&(const lattice_site& site, int mu)>;

struct gauge_contents {
  lattice_site extents{};
  double plaquette = 0;
  double link_trace = 0;
};

/// Several ranks write one file: each its own block, then one of them the frame around the data.
/// The bytes do not depend on who wrote which block.
class gauge_writer {
 public:
  /// Throws usage_error unless `format` is "NERSC" or "ILDG", in any case of letters.
  gauge_writer(std::string_view format, const gauge_contents& contents);

  void write(const staged_file& file, const site_block& block, const link_source& source);
  /// Checksum of all blocks this writer wrote.
  const partial_checksum& partial() const noexcept { return partial_; }

  /// Header and trailer; `total` is the checksum of the whole lattice.
  void write_frame(const staged_file& file, const partial_checksum& total) const;

 private:
  std::string head(const partial_checksum& total) const;
  std::string tail(const partial_checksum& total) const;
  std::uint64_t data_bytes() const noexcept;

  gauge_contents contents_;
  partial_checksum partial_;
  std::uint64_t data_offset_ = 0;
};

}  // namespace onehop::io
