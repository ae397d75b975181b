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

/// The links are as stored in a file, in double precision. Site coordinates run from -1 to L
/// inclusive in each direction; ghosts, corners included, are valid after exchange_ghosts.
///
/// The memory order is, outermost first, mu, t+1, z+1, y+1, x+1, row, column.
class gauge_field {
 public:
  /// The constructor makes all links zero; collective.
  explicit gauge_field(const onehop::geometry& geometry);
  ~gauge_field();
  gauge_field(gauge_field&&) noexcept;
  gauge_field& operator=(gauge_field&&) noexcept;

  const onehop::geometry& geometry() const noexcept;

  /// Returns one link, for occasional use; loops over the lattice walk data().
  colour_matrix& link(int mu, const coordinate& site) noexcept;
  const colour_matrix& link(int mu, const coordinate& site) const noexcept;
  /// Returns all memory, ghosts included.
  std::span<colour_matrix> data() noexcept;
  std::span<const colour_matrix> data() const noexcept;

  /// Fetches the ghosts of all four link directions, or of one. Collective.
  void exchange_ghosts();
  void exchange_ghosts(int mu);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Sets unit links, ghosts included.
void set_cold(gauge_field& links);
/// Draws links from the Haar measure, ghosts included; they are the same for every grid of ranks.
/// Collective.
void set_hot(gauge_field& links, std::uint64_t seed);

struct plaquette_average {
  double mean, spatial, temporal;
};
/// Returns the mean of Re tr P / 3 over sites and planes, bit-identical on every grid of ranks.
/// Collective; ghosts must be valid.
plaquette_average plaquette(const gauge_field& links);
/// Returns the mean of Re tr U / 3, bit-identical on every grid of ranks. Collective.
double link_trace(const gauge_field& links);

/// Returns the largest entry of |U^+ U - 1|. Throws numeric_error on every rank, naming site and
/// direction of the first link that is not finite. Collective.
double check_links(const gauge_field& links);

struct heatbath_options {
  double beta = 6.0;
  std::uint64_t seed = 1;
  /// The number of overrelaxation sweeps after each heatbath sweep.
  int overrelaxation = 4;
};
/// Makes one Cabibbo-Marinari heatbath sweep (Kennedy-Pendleton in three SU(2) subgroups), then
/// overrelaxation, then reunitarisation. `sweep` numbers the stream of random numbers, so that a
/// chain can be continued; the result is the same for every grid of ranks, bit for bit. Collective.
/// Ghosts must be valid and are valid afterwards.
///
/// Throws usage_error where ranks differ in an argument, for a lattice with an odd extent, a
/// negative beta or overrelaxation, a sweep number of 2^54 or more.
void heatbath_sweep(gauge_field& links, const heatbath_options& options, std::uint64_t sweep);

/// A gauge_file_info holds what a configuration file says of itself.
struct gauge_file_info {
  std::string format;      ///< "ILDG", "SciDAC", "NERSC", "MILC", "openQCD"
  coordinate lattice;      ///< extents of the lattice in the file
  int precision_bits;      ///< 32 or 64
  int stored_rows;         ///< rows of each link in the file: 3, or 2 where the third is made on
                           ///< reading
  std::string endianness;  ///< "big" or "little"
  bool has_checksum;
  double plaquette;  ///< the header's value, NaN when there is none
};
/// Reads the header only. Throws file_error.
gauge_file_info inspect_gauge_file(const std::string& path);

struct gauge_read_options {
  /// Gets one line for the user, as when a file has no checksum; called on rank 0 only.
  std::function<void(const std::string&)> warn = {};
  /// True accepts links that differ from SU(3) by more than 1e-3, as smeared links do and links
  /// that boundary signs have been multiplied into.
  bool allow_non_unitary = false;
};
/// Reads a configuration of any known format, each rank its own part, and verifies checksum,
/// plaquette, finiteness and that links are in SU(3). Collective; every rank throws the same error,
/// file_error or numeric_error. The ghosts of the result are valid.
gauge_field read_gauge_file(const onehop::geometry& geometry, const std::string& path,
                            const gauge_read_options& options = {});

struct gauge_write_options {
  /// The bits of a number, 32 or 64; 0 takes the most that the format has.
  int precision_bits = 0;
  /// The rows of each link, 3, or 2 where the format has that; 0 takes 3.
  int rows = 0;
};
/// Writes a configuration in one of the formats of gauge_formats(), whose names may be in any case,
/// with the checksum of that format; each rank writes its own part. The file appears under its name
/// only when complete. Collective; ghosts must be valid. Throws usage_error for what the format
/// cannot hold, and where ranks differ in an argument.
void write_gauge_file(const gauge_field& links, const std::string& path, const std::string& format,
                      const gauge_write_options& options = {});

}  // namespace onehop
