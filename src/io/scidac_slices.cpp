#include <onehop/scidac_slices.hpp>

#include <algorithm>
#include <cmath>
#include <onehop/error.hpp>
#include <optional>

#include "base/text.hpp"
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
  info.numbers = field.object_numbers * field.objects;
  info.colours = field.colours;
  info.spins = field.spins;
  info.precision_bits = field.bits;
  info.has_checksum = field.checksum.kind != io::checksum_kind::none;
  return info;
}

io::scidac_field field_of(const scidac_field_info& info) {
  constexpr int most_numbers = 1 << 20;
  if (info.precision_bits != 32 && info.precision_bits != 64)
    throw usage_error(
        text("SciDAC files have numbers of 32 or 64 bit, not of ", info.precision_bits));
  if (info.numbers < 1 || info.numbers > most_numbers)
    throw usage_error(
        text("a site of a SciDAC file has 1 to ", most_numbers, " numbers, not ", info.numbers));
  io::scidac_field field;
  field.extents = info.lattice;
  field.datatype = info.datatype;
  field.object_numbers = info.numbers;
  field.colours = info.colours;
  field.spins = info.spins;
  field.bits = info.precision_bits;
  field.checksum.kind = io::checksum_kind::scidac;
  return field;
}

io::real_format reals_of(const io::scidac_field& field) { return {field.bits, std::endian::big}; }

/// Calls visit(first, count) for the pieces of slice t, runs of consecutive sites that fill a
/// buffer.
template <class Visit>
void for_each_piece(const io::slice_counter& slices, int t, std::size_t site_bytes, Visit&& visit) {
  const std::uint64_t longest = std::max<std::uint64_t>(1, bytes_at_a_time / site_bytes);
  const std::uint64_t first = static_cast<std::uint64_t>(t) * slices.sites();
  for (std::uint64_t done = 0; done < slices.sites(); done += longest) {
    visit(first + done, std::min(longest, slices.sites() - done));
  }
}

}  // namespace

bool is_scidac_file(const std::string& path) {
  const io::input_file file(path);
  return io::has_scidac_field(file, file.read_text(0, io::first_bytes_needed));
}

struct scidac_slice_reader::state {
  explicit state(const std::string& path) : file(path) {
    auto contents = io::read_scidac_contents(file);
    if (contents.fields.size() != 1) {
      file.fail(text("holds ", contents.fields.size(),
                     " fields, but only files of one can be read; split it"));
    }
    field = std::move(contents.fields.front());
    warnings = std::move(contents.warnings);
    info = info_of(field);
    read.kind = io::checksum_kind::scidac;
    slices.emplace(field.extents, static_cast<std::size_t>(info.numbers));
  }

  io::input_file file;
  io::scidac_field field;
  std::vector<std::string> warnings;
  scidac_field_info info;
  std::optional<io::slice_counter> slices;
  io::partial_checksum read;
};

scidac_slice_reader::scidac_slice_reader(const std::string& path)
    : state_(std::make_unique<state>(path)) {}
scidac_slice_reader::~scidac_slice_reader() = default;
scidac_slice_reader::scidac_slice_reader(scidac_slice_reader&&) noexcept = default;
scidac_slice_reader& scidac_slice_reader::operator=(scidac_slice_reader&&) noexcept = default;

const scidac_field_info& scidac_slice_reader::info() const noexcept { return state_->info; }
const std::vector<std::string>& scidac_slice_reader::warnings() const noexcept {
  return state_->warnings;
}

void scidac_slice_reader::read(int t, std::span<std::complex<double>> slice) {
  state& s = *state_;
  s.slices->check_size(slice.size());
  s.slices->check_place(t);
  const io::real_format reals = reals_of(s.field);
  const std::size_t site_bytes = s.field.site_bytes(), width = reals.bytes();
  std::vector<std::byte> buffer;
  auto to = slice.begin();
  for_each_piece(*s.slices, t, site_bytes, [&](std::uint64_t first, std::uint64_t count) {
    buffer.resize(count * site_bytes);
    s.file.read(s.field.data_offset + first * site_bytes, buffer);
    s.read.add(first, buffer, site_bytes, reals.order);
    for (std::size_t at = 0; at < buffer.size(); at += 2 * width) {
      *to++ = {io::load_real(buffer.data() + at, reals),
               io::load_real(buffer.data() + at + width, reals)};
    }
  });
}

void scidac_slice_reader::verify_checksum() const {
  io::verify_checksum(state_->file.path(), state_->field.checksum, state_->read);
}

std::string scidac_slice_reader::checksum() const { return io::checksum_text(state_->read); }

struct scidac_slice_writer::state {
  state(const std::string& path, const scidac_field_info& info, const std::string& words)
      : field(field_of(info)),
        about(words),
        slices(info.lattice, static_cast<std::size_t>(info.numbers)),
        file(io::staged_file::create(path)) {
    field.data_offset = io::scidac_frame_of(field, about).head.size();
  }

  void write(int t, std::span<const std::complex<double>> slice);

  io::scidac_field field;
  std::string about;
  io::slice_counter slices;
  std::optional<io::staged_file> file;
};

scidac_slice_writer::scidac_slice_writer(const std::string& path, const scidac_field_info& info,
                                         const std::string& about)
    : state_(std::make_unique<state>(path, info, about)) {}
scidac_slice_writer::~scidac_slice_writer() = default;
scidac_slice_writer::scidac_slice_writer(scidac_slice_writer&&) noexcept = default;
scidac_slice_writer& scidac_slice_writer::operator=(scidac_slice_writer&&) noexcept = default;

void scidac_slice_writer::write(std::span<const std::complex<double>> slice) {
  state& s = *state_;
  if (!s.file) throw usage_error("the file is finished; no slice can be added");
  const int t = s.slices.next();
  s.slices.take(slice.size());
  try {
    s.write(t, slice);
  } catch (...) {
    // A file with part of a slice can become no field, and is given up.
    s.file.reset();
    throw;
  }
}

void scidac_slice_writer::state::write(int t, std::span<const std::complex<double>> slice) {
  const io::real_format reals = reals_of(field);
  const std::size_t site_bytes = field.site_bytes(), width = reals.bytes();
  std::vector<std::byte> buffer;
  auto from = slice.begin();
  const auto put = [&](std::byte* to, double number) {
    io::store_real(to, number, reals);
    if (std::isfinite(io::load_real(to, reals))) return;
    throw numeric_error(text("time slice ", t, " has the number ", number, ", which ", reals.bits,
                             " bit cannot hold"));
  };
  for_each_piece(slices, t, site_bytes, [&](std::uint64_t first, std::uint64_t count) {
    buffer.resize(count * site_bytes);
    for (std::size_t at = 0; at < buffer.size(); at += 2 * width, ++from) {
      put(buffer.data() + at, from->real());
      put(buffer.data() + at + width, from->imag());
    }
    field.checksum.add(first, buffer, site_bytes, reals.order);
    file->write(field.data_offset + first * site_bytes, buffer);
  });
}

std::string scidac_slice_writer::checksum() const {
  return io::checksum_text(state_->field.checksum);
}

void scidac_slice_writer::finish() {
  state& s = *state_;
  s.slices.check_complete();
  if (!s.file) throw usage_error("the file is finished already");
  const io::gauge_frame frame = io::scidac_frame_of(s.field, s.about);
  s.file->write(0, frame.head);
  const std::uint64_t bytes = io::site_count(s.field.extents) * s.field.site_bytes();
  s.file->write(s.field.data_offset + bytes, frame.tail);
  s.file->commit();
  s.file.reset();
}

void scidac_slice_writer::discard() noexcept { state_->file.reset(); }

}  // namespace onehop
