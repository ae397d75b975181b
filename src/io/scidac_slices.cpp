#include <onehop/scidac_slices.hpp>

#include <algorithm>
#include <cmath>
#include <onehop/error.hpp>
#include <optional>

#include "base/text.hpp"
#include "io/lime_text.hpp"
#include "io/scidac_field.hpp"
#include "io/slice_counter.hpp"
#include "io/staged_file.hpp"

namespace onehop {
namespace {

constexpr std::uint64_t bytes_at_a_time = std::uint64_t{1} << 20;

scidac_field_info info_of(const io::scidac_field& field) {
  scidac_field_info info;
  info.lattice = field.extents;
  info.datatype = field.datatype;
  info.objects = field.objects;
  info.numbers = field.object_numbers * field.objects;
  info.colours = field.colours;
  info.spins = field.spins;
  info.precision_bits = field.bits;
  info.has_checksum = field.checksum.kind != io::checksum_kind::none;
  info.first_time = field.first_time;
  info.last_time = field.last_time;
  info.xml = field.xml;
  return info;
}

void check_numbers(const scidac_field_info& info) {
  if (info.precision_bits != 32 && info.precision_bits != 64)
    throw usage_error(
        text("SciDAC files have numbers of 32 or 64 bit, not of ", info.precision_bits));
  if (info.numbers < 1 || info.numbers > io::most_site_numbers)
    throw usage_error(text("a site of a SciDAC file has 1 to ", io::most_site_numbers,
                           " numbers, not ", info.numbers));
  if (info.objects < 1 || info.numbers % info.objects != 0)
    throw usage_error(text(info.numbers, " numbers are not those of ", info.objects, " objects"));
  if (info.first_time < 0 || info.first_time > info.last_time || info.last_time >= info.lattice[3])
    throw usage_error(text("lattice ", io::extents_text(info.lattice), " has no time slices ",
                           info.first_time, " to ", info.last_time));
}

io::scidac_field field_of(const scidac_field_info& info) {
  check_numbers(info);
  io::scidac_field field;
  field.extents = info.lattice;
  field.datatype = info.datatype;
  field.objects = info.objects;
  field.object_numbers = info.numbers / info.objects;
  field.colours = info.colours;
  field.spins = info.spins;
  field.bits = info.precision_bits;
  field.checksum.kind = io::checksum_kind::scidac;
  field.first_time = info.first_time;
  field.last_time = info.last_time;
  field.xml = info.xml;
  return field;
}

io::real_format reals_of(const io::scidac_field& field) { return {field.bits, std::endian::big}; }

/// Calls visit(first, count, offset) for the pieces of slice t. Each is a run of consecutive sites
/// that fills a buffer; its bytes are at the offset.
template <class Visit>
void for_each_piece(const io::scidac_field& field, int t, Visit&& visit) {
  const std::uint64_t slice =
      io::site_count({field.extents[0], field.extents[1], field.extents[2], 1});
  const std::uint64_t longest = std::max<std::uint64_t>(1, bytes_at_a_time / field.site_bytes());
  const std::uint64_t first = static_cast<std::uint64_t>(t) * slice;
  for (std::uint64_t done = 0; done < slice; done += longest) {
    const std::uint64_t site = first + done;
    visit(site, std::min(longest, slice - done),
          field.data_offset + (site - field.first_site()) * field.site_bytes());
  }
}

void check_field(int field, std::size_t count) {
  if (field >= 0 && static_cast<std::size_t>(field) < count) return;
  throw usage_error(text("there is no field ", field, " among ", count));
}

std::string checksums_text(const std::vector<io::partial_checksum>& sums) {
  std::string words;
  for (const auto& sum : sums) {
    if (!words.empty()) words += ", ";
    words += io::checksum_text(sum);
  }
  return words;
}

}  // namespace

bool is_scidac_file(const std::string& path) {
  const io::input_file file(path);
  return io::has_scidac_field(file, file.read_text(0, io::first_bytes_needed));
}

struct scidac_slice_reader::state {
  explicit state(const std::string& path) : file(path), contents(io::read_scidac_contents(file)) {
    for (const auto& field : contents.fields) infos.push_back(info_of(field));
    read.assign(infos.size(), {io::checksum_kind::scidac, {}});
  }

  io::input_file file;
  io::scidac_contents contents;
  std::vector<scidac_field_info> infos;
  std::vector<io::partial_checksum> read;
};

scidac_slice_reader::scidac_slice_reader(const std::string& path)
    : state_(std::make_unique<state>(path)) {}
scidac_slice_reader::~scidac_slice_reader() = default;
scidac_slice_reader::scidac_slice_reader(scidac_slice_reader&&) noexcept = default;
scidac_slice_reader& scidac_slice_reader::operator=(scidac_slice_reader&&) noexcept = default;

const std::vector<scidac_field_info>& scidac_slice_reader::fields() const noexcept {
  return state_->infos;
}
const std::string& scidac_slice_reader::xml() const noexcept { return state_->contents.xml; }
const std::vector<std::string>& scidac_slice_reader::warnings() const noexcept {
  return state_->contents.warnings;
}

void scidac_slice_reader::read(int field, int t, std::span<std::complex<double>> slice) {
  state& s = *state_;
  check_field(field, s.infos.size());
  const auto at_field = static_cast<std::size_t>(field);
  const io::scidac_field& from = s.contents.fields[at_field];
  const io::slice_counter slices(from.extents, static_cast<std::size_t>(s.infos[at_field].numbers));
  slices.check_size(slice.size());
  slices.check_place(t);
  if (t < from.first_time || t > from.last_time) {
    std::ranges::fill(slice, 0.0);
    return;
  }
  const io::real_format reals = reals_of(from);
  const std::size_t site_bytes = from.site_bytes(), width = reals.bytes();
  std::vector<std::byte> buffer;
  auto to = slice.begin();
  for_each_piece(from, t, [&](std::uint64_t first, std::uint64_t count, std::uint64_t offset) {
    buffer.resize(count * site_bytes);
    s.file.read(offset, buffer);
    s.read[at_field].add(first, buffer, site_bytes, reals.order);
    for (std::size_t at = 0; at < buffer.size(); at += 2 * width) {
      *to++ = {io::load_real(buffer.data() + at, reals),
               io::load_real(buffer.data() + at + width, reals)};
    }
  });
}

void scidac_slice_reader::verify_checksum() const {
  for (std::size_t n = 0; n < state_->read.size(); ++n) {
    io::verify_checksum(state_->file.path(), state_->contents.fields[n].checksum, state_->read[n]);
  }
}

std::string scidac_slice_reader::checksum() const { return checksums_text(state_->read); }

struct scidac_slice_writer::state {
  state(const std::string& path, const std::vector<scidac_field_info>& infos,
        const std::string& xml)
      : fields(planned(infos, xml)), file(io::staged_file::create(path)) {
    for (const auto& field : fields) {
      const auto& [x, y, z, t] = field.extents;
      slices.emplace_back(io::lattice_site{x, y, z, field.last_time - field.first_time + 1},
                          static_cast<std::size_t>(field.object_numbers * field.objects));
    }
    file->write(0, io::scidac_file_head(fields.front().extents, xml));
  }

  static std::vector<io::scidac_field> planned(const std::vector<scidac_field_info>& infos,
                                               const std::string& xml);
  void write(int number, int t, std::span<const std::complex<double>> slice);
  std::vector<io::partial_checksum> checksums() const {
    std::vector<io::partial_checksum> sums;
    for (const auto& field : fields) sums.push_back(field.checksum);
    return sums;
  }

  std::vector<io::scidac_field> fields;
  std::vector<io::slice_counter> slices;
  std::optional<io::staged_file> file;
};

std::vector<io::scidac_field> scidac_slice_writer::state::planned(
    const std::vector<scidac_field_info>& infos, const std::string& xml) {
  if (infos.empty()) throw usage_error("a SciDAC file has at least one field");
  std::vector<io::scidac_field> fields;
  std::uint64_t end = io::scidac_file_head(infos.front().lattice, xml).size();
  for (const auto& info : infos) {
    if (info.lattice != infos.front().lattice) {
      throw usage_error(text("fields of one SciDAC file have one lattice, not ",
                             io::extents_text(infos.front().lattice), " and ",
                             io::extents_text(info.lattice)));
    }
    io::scidac_field& field = fields.emplace_back(field_of(info));
    field.data_offset = end + io::scidac_field_head(field).size();
    end = field.data_offset + field.sites() * field.site_bytes() +
          io::scidac_checksum_text(field.checksum).size();
  }
  return fields;
}

scidac_slice_writer::scidac_slice_writer(const std::string& path,
                                         const std::vector<scidac_field_info>& fields,
                                         const std::string& xml)
    : state_(std::make_unique<state>(path, fields, xml)) {}
scidac_slice_writer::~scidac_slice_writer() = default;
scidac_slice_writer::scidac_slice_writer(scidac_slice_writer&&) noexcept = default;
scidac_slice_writer& scidac_slice_writer::operator=(scidac_slice_writer&&) noexcept = default;

void scidac_slice_writer::write(int field, std::span<const std::complex<double>> slice) {
  state& s = *state_;
  check_field(field, s.fields.size());
  if (!s.file) throw usage_error("the file is finished; no slice can be added");
  const auto at_field = static_cast<std::size_t>(field);
  const int t = s.fields[at_field].first_time + s.slices[at_field].next();
  s.slices[at_field].take(slice.size());
  try {
    s.write(field, t, slice);
  } catch (...) {
    // A file with only part of a slice cannot become a field and is abandoned.
    s.file.reset();
    throw;
  }
}

void scidac_slice_writer::state::write(int number, int t,
                                       std::span<const std::complex<double>> slice) {
  io::scidac_field& field = fields[static_cast<std::size_t>(number)];
  const io::real_format reals = reals_of(field);
  const std::size_t site_bytes = field.site_bytes(), width = reals.bytes();
  std::vector<std::byte> buffer;
  auto from = slice.begin();
  const auto put = [&](std::byte* to, double value) {
    io::store_real(to, value, reals);
    if (std::isfinite(io::load_real(to, reals))) return;
    throw numeric_error(text("time slice ", t, " has the number ", value, ", which ", reals.bits,
                             " bit cannot hold"));
  };
  for_each_piece(field, t, [&](std::uint64_t first, std::uint64_t count, std::uint64_t offset) {
    buffer.resize(count * site_bytes);
    for (std::size_t at = 0; at < buffer.size(); at += 2 * width, ++from) {
      put(buffer.data() + at, from->real());
      put(buffer.data() + at + width, from->imag());
    }
    field.checksum.add(first, buffer, site_bytes, reals.order);
    file->write(offset, buffer);
  });
}

std::string scidac_slice_writer::checksum() const { return checksums_text(state_->checksums()); }

void scidac_slice_writer::finish() {
  state& s = *state_;
  for (const auto& slices : s.slices) slices.check_complete();
  if (!s.file) throw usage_error("the file is finished already");
  for (const io::scidac_field& field : s.fields) {
    const std::string head = io::scidac_field_head(field);
    s.file->write(field.data_offset - head.size(), head);
    s.file->write(field.data_offset + field.sites() * field.site_bytes(),
                  io::scidac_checksum_text(field.checksum));
  }
  s.file->commit();
  s.file.reset();
}

void scidac_slice_writer::discard() noexcept { state_->file.reset(); }

}  // namespace onehop
