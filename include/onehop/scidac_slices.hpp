#pragma once
/// These classes read and write fields of any kind in a SciDAC file, one time slice at a time. A
/// file holds one or several fields, such as sources with their solutions, or eigenvectors.
///
/// A slice has `numbers` complex numbers for each of its sites, x fastest, then y, z. Nothing here
/// is collective.

#include <onehop/detail/language.hpp>

#include <array>
#include <complex>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace onehop {

struct scidac_field_info {
  std::array<int, 4> lattice;  ///< extents in x, y, z, t; the same for all fields of a file
  std::string datatype;        ///< name of the type: "QDP_D3_DiracPropagator", ...
  int objects;                 ///< number of objects of that type per site: 4 links, ...
  int numbers;                 ///< number of complex numbers per site
  int colours, spins;          ///< colours and spins per site; 0 if there are none
  int precision_bits;          ///< 32 or 64
  bool has_checksum;
  /// The field has numbers only on these time slices, the last one included; usually on all slices.
  int first_time, last_time;
  /// This is the text that the writing program stored for the field (scidac-record-xml). At most
  /// 65536 bytes of it are read, and it may contain any bytes.
  std::string xml;
};

/// Returns whether a file is a SciDAC file that holds fields and no ILDG configuration. Throws
/// file_error.
bool is_scidac_file(const std::string& path);

class scidac_slice_reader {
 public:
  /// Opens a file and reads its descriptions of the fields. Throws file_error.
  explicit scidac_slice_reader(const std::string& path);
  ~scidac_slice_reader();
  scidac_slice_reader(scidac_slice_reader&&) noexcept;
  scidac_slice_reader& operator=(scidac_slice_reader&&) noexcept;

  /// Returns the fields in the order of the file. There is at least one.
  const std::vector<scidac_field_info>& fields() const noexcept;
  /// Returns the text that the writing program stored for the file (scidac-file-xml).
  const std::string& xml() const noexcept;
  /// Returns lines for the user, for example if a field has no checksum or bytes follow the
  /// records.
  const std::vector<std::string>& warnings() const noexcept;

  /// Reads time slice `t` of field number `field`. A slice on which the field has no numbers is
  /// filled with zeros. Throws file_error; throws usage_error for a slice of another size or
  /// outside the lattice, and for a field that does not exist.
  void read(int field, int t, std::span<std::complex<double>> slice);
  /// Compares the checksums of what was read with those of the file. Every slice of every field
  /// must have been read once. Throws checksum_error.
  void verify_checksum() const;
  /// Returns the checksums of the slices read so far, such as "SciDAC checksum 10d0ea1a a6a1b3b8",
  /// for all fields, separated by commas.
  std::string checksum() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

class scidac_slice_writer {
 public:
  /// Creates the file, which appears under its name only once it is finished. `fields` are written
  /// in this order. `xml` describes the file, and the `xml` of each field that field; neither
  /// includes the line <?xml ...?>. Throws file_error; usage_error for fields that no file can
  /// hold.
  scidac_slice_writer(const std::string& path, const std::vector<scidac_field_info>& fields,
                      const std::string& xml);
  /// Removes the file if it was not finished.
  ~scidac_slice_writer();
  scidac_slice_writer(scidac_slice_writer&&) noexcept;
  scidac_slice_writer& operator=(scidac_slice_writer&&) noexcept;

  /// Writes a slice of a field; call it for t = first_time, ..., last_time of each field in this
  /// order, with fields in turns or one after the other. Throws file_error; numeric_error for a
  /// number that the precision cannot hold; usage_error for a slice of another size or one too
  /// many.
  void write(int field, std::span<const std::complex<double>> slice);
  /// Returns the checksums of all fields, as the reader does.
  std::string checksum() const;
  /// Writes the checksums and gives the file its name. Throws file_error; usage_error if slices are
  /// missing.
  void finish();
  /// Removes the unfinished file now; does nothing if the file is finished.
  void discard() noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace onehop
