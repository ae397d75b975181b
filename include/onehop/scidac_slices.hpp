#pragma once
/// A field of any kind in a SciDAC file is read and written here time slice by time slice.
///
/// A slice has `numbers` complex numbers for each of its sites, x fastest, then y, z. Nothing here
/// is collective.

#include <array>
#include <complex>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace onehop {

struct scidac_field_info {
  std::array<int, 4> lattice;  ///< extents in x, y, z, t
  std::string datatype;        ///< name of the type: "QDP_D3_DiracPropagator", ...
  int numbers;                 ///< complex numbers of a site
  int colours, spins;          ///< colours and spins of a site; spins is 0 where there are none
  int precision_bits;          ///< 32 or 64
  bool has_checksum;
};

/// Returns whether a file is a SciDAC one that holds a field and no ILDG configuration. Throws
/// file_error.
bool is_scidac_file(const std::string& path);

class scidac_slice_reader {
 public:
  /// The constructor reads the header. Throws file_error, also for a file of several fields.
  explicit scidac_slice_reader(const std::string& path);
  ~scidac_slice_reader();
  scidac_slice_reader(scidac_slice_reader&&) noexcept;
  scidac_slice_reader& operator=(scidac_slice_reader&&) noexcept;

  const scidac_field_info& info() const noexcept;
  /// Returns lines for the user, as when the file has no checksum or has bytes behind the records.
  const std::vector<std::string>& warnings() const noexcept;

  /// Reads time slice `t`. Throws file_error; throws usage_error for a slice of another size or
  /// outside the lattice.
  void read(int t, std::span<std::complex<double>> slice);
  /// Compares the checksum of what was read, which must be every slice once, with that of the file.
  /// Throws checksum_error.
  void verify_checksum() const;
  /// Returns what the slices read so far give, as "SciDAC checksum 10d0ea1a a6a1b3b8".
  std::string checksum() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

class scidac_slice_writer {
 public:
  /// The file appears under its name only when finished. `about` says in words what the numbers
  /// are. Throws file_error.
  scidac_slice_writer(const std::string& path, const scidac_field_info& info,
                      const std::string& about);
  /// The destructor removes a file that was not finished.
  ~scidac_slice_writer();
  scidac_slice_writer(scidac_slice_writer&&) noexcept;
  scidac_slice_writer& operator=(scidac_slice_writer&&) noexcept;

  /// Writes slices t = 0, 1, ... in this order. Throws file_error; numeric_error for a number that
  /// the precision cannot hold; usage_error for a slice of another size or one too many.
  void write(std::span<const std::complex<double>> slice);
  std::string checksum() const;
  /// Writes the checksum and gives the file its name. Throws file_error; usage_error when slices
  /// are missing.
  void finish();
  /// Removes the unfinished file now; does nothing to a finished one.
  void discard() noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace onehop
