#pragma once
/// One field of any kind in a SciDAC file, read and written time slice by time slice.
///
/// A slice is `numbers` complex numbers for each of its sites, x fastest, then y, z. Nothing here
/// is collective.

#include <array>
#include <complex>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace onehop {

struct scidac_field_info {
  std::array<int, 4> lattice;  ///< x, y, z, t
  std::string datatype;        ///< "QDP_D3_DiracPropagator", ...
  int numbers;                 ///< complex numbers of a site
  int colours, spins;          ///< spins 0 where there are none
  int precision_bits;          ///< 32 or 64
  bool has_checksum;
};

/// Whether a file is a SciDAC one that holds a field and no ILDG configuration. Throws file_error.
bool is_scidac_file(const std::string& path);

class scidac_slice_reader {
 public:
  /// Throws file_error, also for a file of several fields.
  explicit scidac_slice_reader(const std::string& path);
  ~scidac_slice_reader();
  scidac_slice_reader(scidac_slice_reader&&) noexcept;
  scidac_slice_reader& operator=(scidac_slice_reader&&) noexcept;

  const scidac_field_info& info() const noexcept;
  /// Lines for the user: no checksum in the file, bytes behind the records.
  const std::vector<std::string>& warnings() const noexcept;

  /// Throws file_error; usage_error for a slice of another size or outside the lattice.
  void read(int t, std::span<std::complex<double>> slice);
  /// Compares the checksum of what was read, which must be every slice once, with that of the file.
  /// Throws checksum_error.
  void verify_checksum() const;
  /// "SciDAC checksum 10d0ea1a a6a1b3b8": what the slices read so far give.
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
  /// Removes a file that was not finished.
  ~scidac_slice_writer();
  scidac_slice_writer(scidac_slice_writer&&) noexcept;
  scidac_slice_writer& operator=(scidac_slice_writer&&) noexcept;

  /// Slices t = 0, 1, ... in turns. Throws file_error; numeric_error for a number that the
  /// precision cannot hold; usage_error for a slice of another size or one too many.
  void write(std::span<const std::complex<double>> slice);
  std::string checksum() const;
  /// Writes the checksum and brings the file under its name. Throws file_error; usage_error when
  /// slices are missing.
  void finish();
  /// Removes the unfinished file now; nothing happens once it is finished.
  void discard() noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace onehop
