#pragma once
/// A gauge_field holds the SU(3) link variables of one rank's block, with a ghost layer of one
/// site.

#include <onehop/geometry.hpp>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace onehop {

/// A colour_matrix is a row-major 3x3 matrix.
using colour_matrix = std::array<std::complex<double>, 9>;

/// A gauge_field holds the links as they are stored in a file, in double precision. Site
/// coordinates run from -1 to L inclusive in each direction. Ghosts, corners included, are valid
/// after exchange_ghosts.
///
/// The memory order is, outermost first, mu, t+1, z+1, y+1, x+1, row, column.
class gauge_field {
 public:
  /// Makes a field whose links are all zero; collective.
  explicit gauge_field(const onehop::geometry& geometry);
  ~gauge_field();
  gauge_field(gauge_field&&) noexcept;
  gauge_field& operator=(gauge_field&&) noexcept;

  const onehop::geometry& geometry() const noexcept;

  /// Returns one link, for occasional use; loops over the lattice should walk data().
  colour_matrix& link(int mu, const coordinate& site) noexcept;
  const colour_matrix& link(int mu, const coordinate& site) const noexcept;
  /// Returns the whole memory, ghosts included.
  std::span<colour_matrix> data() noexcept;
  std::span<const colour_matrix> data() const noexcept;

  /// Fetches the ghosts of all four link directions, or of one. Collective.
  void exchange_ghosts();
  void exchange_ghosts(int mu);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Sets all links to the unit matrix, ghosts included.
void set_cold(gauge_field& links);
/// Draws all links from the Haar measure, ghosts included. They are the same for every grid of
/// ranks. Collective.
void set_hot(gauge_field& links, std::uint64_t seed);

struct plaquette_average {
  double mean, spatial, temporal;
};
/// Returns the mean of Re tr P / 3 over sites and planes, bit-identical on every grid of ranks.
/// Collective; ghosts must be valid.
plaquette_average plaquette(const gauge_field& links);
/// Returns the mean of Re tr U / 3, bit-identical on every grid of ranks. Collective.
double link_trace(const gauge_field& links);

/// Returns the largest entry of |U^+ U - 1|. Throws numeric_error on every rank if a link is not
/// finite, naming the site and direction of the first one. Collective.
double check_links(const gauge_field& links);

struct heatbath_options {
  double beta = 6.0;
  std::uint64_t seed = 1;
  /// This is the number of overrelaxation sweeps after each heatbath sweep.
  int overrelaxation = 4;
};
/// Performs one Cabibbo-Marinari heatbath sweep (Kennedy-Pendleton in three SU(2) subgroups), then
/// overrelaxation, then reunitarisation. `sweep` selects the stream of random numbers, so a chain
/// can be continued. The result is the same for every grid of ranks, bit for bit. Collective.
/// Ghosts must be valid and are valid afterwards.
///
/// Throws usage_error if ranks differ in an argument, and for a lattice with an odd extent, a
/// negative beta or overrelaxation, or a sweep number of 2^54 or more.
void heatbath_sweep(gauge_field& links, const heatbath_options& options, std::uint64_t sweep);

/// A gauge_file_info holds what the header of a configuration file says.
struct gauge_file_info {
  std::string format;      ///< "ILDG", "SciDAC", "NERSC", "MILC", "openQCD"
  coordinate lattice;      ///< extents of the lattice in the file
  int precision_bits;      ///< 32 or 64
  int stored_rows;         ///< rows of each link in the file: 3, or 2 if the third row is computed
                           ///< on reading
  std::string endianness;  ///< "big" or "little"
  bool has_checksum;
  double plaquette;  ///< the header's value, NaN if there is none
};
/// Reads only the header. Throws file_error.
gauge_file_info inspect_gauge_file(const std::string& path);

struct gauge_read_options {
  /// This function receives one line for the user, for example if a file has no checksum. It is
  /// called on rank 0 only.
  std::function<void(const std::string&)> warn = {};
  /// If true, links may differ from SU(3) by more than 1e-3, as smeared links do, and links that
  /// contain boundary signs.
  bool allow_non_unitary = false;
};
/// Reads a configuration of any known format, each rank its own part, and verifies that the
/// checksum and plaquette are right and that the links are finite and in SU(3). Collective; every
/// rank throws the same error, file_error or numeric_error. The ghosts of the result are valid.
gauge_field read_gauge_file(const onehop::geometry& geometry, const std::string& path,
                            const gauge_read_options& options = {});

struct gauge_write_options {
  /// This is the number of bits of each real number, 32 or 64; 0 selects the highest precision of
  /// the format.
  int precision_bits = 0;
  /// This is the number of rows of each link: 3, or 2 if the format supports it; 0 selects 3.
  int rows = 0;
};
/// Writes a configuration in one of the formats of gauge_formats(), whose names are not
/// case-sensitive, with the checksum of that format; each rank writes its own part. The file
/// appears under its name only once it is complete. Collective; ghosts must be valid. Throws
/// usage_error if the format cannot hold the data, and if ranks differ in an argument.
void write_gauge_file(const gauge_field& links, const std::string& path, const std::string& format,
                      const gauge_write_options& options = {});

}  // namespace onehop
