#pragma once
/// These classes read, check and write gauge configurations in files of any known format, one time
/// slice at a time. The memory needed is therefore that of a few slices, however many the lattice
/// has.
///
/// A slice is 4 Lx Ly Lz matrices in the order z, y, x, mu, outermost first. Nothing here is
/// collective: one process handles the whole lattice.

#include <onehop/gauge_field.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace onehop {

/// A gauge_format_info describes a format, for choosing one before writing a file.
struct gauge_format_info {
  std::string name;                   ///< name of the format, as in gauge_file_info::format
  std::vector<std::string> suffixes;  ///< suffixes of its files, the usual one first
  std::string conventions;            ///< conventions of the numbers, as text
  std::vector<int> precisions;        ///< precisions in bits
  bool has_two_rows, has_checksum;
};
std::vector<gauge_format_info> gauge_formats();

/// A gauge_summary describes a configuration as a whole.
struct gauge_summary {
  plaquette_average plaquette;
  double link_trace;
  double unitarity_deviation;  ///< largest entry of |U^+ U - 1|
  double su3_deviation;        ///< largest entry of |U^+ U - 1|, or |det U - 1| if that is larger
  std::string furthest;        ///< the link with su3_deviation: "the link in direction x at ..."
};

/// A gauge_slice_check computes from the slices what `plaquette`, `link_trace` and `check_links`
/// compute, with the same bits. It keeps two slices in memory.
class gauge_slice_check {
 public:
  explicit gauge_slice_check(const coordinate& lattice);
  ~gauge_slice_check();
  gauge_slice_check(gauge_slice_check&&) noexcept;
  gauge_slice_check& operator=(gauge_slice_check&&) noexcept;

  /// Adds a slice; call it for t = 0, 1, ... in this order. Throws numeric_error naming a link that
  /// is not finite; throws usage_error for a slice of another size or one too many.
  void add(std::span<const colour_matrix> slice);
  /// Returns the summary once all slices have been added. Throws usage_error before that.
  gauge_summary finish();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Checks the links of a whole file as read_gauge_file does: throws numeric_error naming `path` and
/// the link furthest from SU(3), unless `allow_non_unitary`. Returns a line for the user if they
/// are further away than rounding to `precision_bits` explains, otherwise nothing.
std::string check_summary(const gauge_summary& found, const std::string& path, int precision_bits,
                          bool allow_non_unitary = false);

class gauge_slice_reader {
 public:
  /// Opens the file and reads its header. Throws file_error.
  explicit gauge_slice_reader(const std::string& path);
  ~gauge_slice_reader();
  gauge_slice_reader(gauge_slice_reader&&) noexcept;
  gauge_slice_reader& operator=(gauge_slice_reader&&) noexcept;

  const gauge_file_info& info() const noexcept;
  /// Returns lines for the user, for example if the file has no checksum or has bytes after the
  /// data.
  const std::vector<std::string>& warnings() const noexcept;

  /// Fills `slice` with the links of time slice `t`, converted to double. If the file lacks the
  /// third rows, they are computed. Throws file_error, and usage_error for a slice of another size.
  void read(int t, std::span<colour_matrix> slice);
  /// Returns the checksum of the slices read so far, such as "SciDAC checksum 10d0ea1a a6a1b3b8",
  /// or nothing for a format without checksum.
  std::string checksum() const;
  /// Compares the checksum of the slices read with that of the file. Every slice must have been
  /// read once. Throws checksum_error.
  void verify_checksum() const;
  /// Compares plaquette and link trace with the values in the header, as read_gauge_file does.
  /// Throws file_error.
  void verify_means(const gauge_summary& found) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

class gauge_slice_writer {
 public:
  /// Creates the file, which appears under its name only once it is finished. If `precision_bits`
  /// or `rows` is 0, the format's default is used. Throws file_error, and usage_error if the format
  /// cannot hold the data.
  gauge_slice_writer(const std::string& path, const std::string& format, const coordinate& lattice,
                     int precision_bits = 0, int rows = 0);
  /// Removes the file if it was not finished.
  ~gauge_slice_writer();
  gauge_slice_writer(gauge_slice_writer&&) noexcept;
  gauge_slice_writer& operator=(gauge_slice_writer&&) noexcept;

  /// Writes a slice; call it for t = 0, 1, ... in this order. Throws file_error; numeric_error if
  /// the link cannot be reconstructed from the rows that are written; usage_error for a slice of
  /// another size or one too many.
  void write(std::span<const colour_matrix> slice);
  /// Returns the checksum of the slices written so far, or nothing for a format without checksum.
  std::string checksum() const;
  /// Writes the header, which states the means of Re tr P / 3 and Re tr U / 3, and gives the file
  /// its name. Throws file_error; usage_error if slices are missing.
  void finish(double plaquette, double link_trace);
  /// Removes the unfinished file now; does nothing if the file is finished.
  void discard() noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace onehop
