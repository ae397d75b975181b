#pragma once
/// Fields of any kind in a SciDAC file are read and written here time slice by time slice: one
/// field, or several behind one another, as sources with their solutions or eigenvectors.
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
  int objects;                 ///< objects of that type at a site: 4 links, ...
  int numbers;                 ///< complex numbers of a site
  int colours, spins;          ///< colours and spins of a site; 0 where there are none
  int precision_bits;          ///< 32 or 64
  bool has_checksum;
  /// The field has numbers on these time slices alone, the last one included; usually on all.
  int first_time, last_time;
  /// These are the words of the program that wrote the field (scidac-record-xml), of which no more
  /// than 65536 bytes are read. They may hold any bytes.
  std::string xml;
};

/// Returns whether a file is a SciDAC one that holds fields and no ILDG configuration. Throws
/// file_error.
bool is_scidac_file(const std::string& path);

class scidac_slice_reader {
 public:
  /// The constructor reads what the file says of its fields. Throws file_error.
  explicit scidac_slice_reader(const std::string& path);
  ~scidac_slice_reader();
  scidac_slice_reader(scidac_slice_reader&&) noexcept;
  scidac_slice_reader& operator=(scidac_slice_reader&&) noexcept;

  /// Returns the fields in the order of the file; there is at least one.
  const std::vector<scidac_field_info>& fields() const noexcept;
  /// Returns what the program that wrote the file says of it (scidac-file-xml).
  const std::string& xml() const noexcept;
  /// Returns lines for the user, as when a field has no checksum or bytes lie behind the records.
  const std::vector<std::string>& warnings() const noexcept;

  /// Reads time slice `t` of field number `field`; a slice on which the field has no numbers is
  /// filled with zeros. Throws file_error; throws usage_error for a slice of another size, outside
  /// the lattice or of a field that is not there.
  void read(int field, int t, std::span<std::complex<double>> slice);
  /// Compares the checksums of what was read, which must be every slice of every field once, with
  /// those of the file. Throws checksum_error.
  void verify_checksum() const;
  /// Returns what the slices read so far give, as "SciDAC checksum 10d0ea1a a6a1b3b8", for all
  /// fields with commas between them.
  std::string checksum() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

class scidac_slice_writer {
 public:
  /// The file appears under its name only when finished. `fields` are written in this order; `xml`
  /// says what the file is, without the line <?xml ...?>, as does the `xml` of each field. Throws
  /// file_error; usage_error for fields that no file can hold.
  scidac_slice_writer(const std::string& path, const std::vector<scidac_field_info>& fields,
                      const std::string& xml);
  /// The destructor removes a file that was not finished.
  ~scidac_slice_writer();
  scidac_slice_writer(scidac_slice_writer&&) noexcept;
  scidac_slice_writer& operator=(scidac_slice_writer&&) noexcept;

  /// Writes slices t = first_time, ..., last_time of each field in this order, fields in turns or
  /// one after the other. Throws file_error; numeric_error for a number that the precision cannot
  /// hold; usage_error for a slice of another size or one too many.
  void write(int field, std::span<const std::complex<double>> slice);
  /// Returns the checksums of all fields, as the reader does.
  std::string checksum() const;
  /// Writes the checksums and gives the file its name. Throws file_error; usage_error when slices
  /// are missing.
  void finish();
  /// Removes the unfinished file now; does nothing to a finished one.
  void discard() noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace onehop
