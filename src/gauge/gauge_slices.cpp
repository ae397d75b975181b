#include <onehop/gauge_slices.hpp>

#include <onehop/error.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

#include <onehop/exact_sum.hpp>
#include "base/text.hpp"
#include "gauge/link_check.hpp"
#include "gauge/stated_means.hpp"
#include "gauge/su3_functions.hpp"
#include "io/gauge_reader.hpp"
#include "io/gauge_writer.hpp"
#include "io/slice_counter.hpp"
#include "io/staged_file.hpp"

namespace onehop {
namespace {

io::site_block slice_block(const coordinate& lattice, int t) {
  return {{0, 0, 0, t}, {lattice[0], lattice[1], lattice[2], 1}};
}

std::size_t link_index(const coordinate& lattice, const coordinate& site, int mu) noexcept {
  const auto at = [](int n) { return static_cast<std::size_t>(n); };
  return ((at(site[2]) * at(lattice[1]) + at(site[1])) * at(lattice[0]) + at(site[0])) * 4 + at(mu);
}

/// Calls visit(site) for the sites of slice t, x fastest.
template <class Visit>
void for_each_site_of_slice(const coordinate& lattice, int t, const Visit& visit) {
  coordinate site{0, 0, 0, t};
  for (site[2] = 0; site[2] < lattice[2]; ++site[2])
    for (site[1] = 0; site[1] < lattice[1]; ++site[1])
      for (site[0] = 0; site[0] < lattice[0]; ++site[0]) visit(site);
}

using slice_links = std::vector<colour_matrix>;

}  // namespace

std::vector<gauge_format_info> gauge_formats() {
  std::vector<gauge_format_info> infos;
  for (const io::gauge_format& format : io::gauge_formats()) {
    gauge_format_info& info = infos.emplace_back();
    info.name = format.name;
    std::istringstream suffixes{std::string(format.suffixes)};
    for (std::string suffix; suffixes >> suffix;) info.suffixes.push_back(suffix);
    info.conventions = format.conventions;
    if (format.has_single) info.precisions.push_back(32);
    if (format.has_double) info.precisions.push_back(64);
    info.has_two_rows = format.has_two_rows;
    info.has_checksum = format.checksum != io::checksum_kind::none;
  }
  return infos;
}

struct gauge_slice_check::state {
  explicit state(const coordinate& lattice) : slices(lattice, 4) {}

  void look_at(const coordinate& site, std::span<const colour_matrix> slice) {
    for (int mu = 0; mu < 4; ++mu) {
      const colour_matrix& u = slice[link_index(slices.lattice(), site, mu)];
      check_finite_link(u, slices.lattice(), site, mu);
      trace.add(u[0].real() + u[4].real() + u[8].real());
      const double unitarity = su3::unitarity_deviation(u);
      const double away = std::max(unitarity, std::abs(su3::determinant(u) - 1.0));
      unitarity_deviation = std::max(unitarity_deviation, unitarity);
      if (away <= su3_deviation) continue;
      su3_deviation = away;
      furthest = site;
      furthest_mu = mu;
    }
  }

  /// Adds the plaquettes that begin in one slice; `above` is the next slice.
  void add_plaquettes(std::span<const colour_matrix> here, std::span<const colour_matrix> above) {
    const coordinate& lattice = slices.lattice();
    for_each_site_of_slice(lattice, 0, [&](const coordinate& x) {
      const auto link = [&](int mu, coordinate site, int step) -> const colour_matrix& {
        if (step == 3) return above[link_index(lattice, site, mu)];
        const auto d = static_cast<std::size_t>(step);
        if (step >= 0) site[d] = site[d] + 1 == lattice[d] ? 0 : site[d] + 1;
        return here[link_index(lattice, site, mu)];
      };
      const auto plane = [&](int mu, int nu) {
        return su3::real_trace_adjoint(su3::multiply(link(mu, x, -1), link(nu, x, mu)),
                                       su3::multiply(link(nu, x, -1), link(mu, x, nu)));
      };
      plaquettes[0].add(plane(0, 1) + plane(0, 2) + plane(1, 2));
      plaquettes[1].add(plane(0, 3) + plane(1, 3) + plane(2, 3));
    });
  }

  io::slice_counter slices;
  slice_links first, last;
  std::array<exact_sum, 2> plaquettes;
  exact_sum trace;
  double unitarity_deviation = 0, su3_deviation = 0;
  coordinate furthest{};
  int furthest_mu = 0;
};

gauge_slice_check::gauge_slice_check(const coordinate& lattice)
    : state_(std::make_unique<state>(lattice)) {}
gauge_slice_check::~gauge_slice_check() = default;
gauge_slice_check::gauge_slice_check(gauge_slice_check&&) noexcept = default;
gauge_slice_check& gauge_slice_check::operator=(gauge_slice_check&&) noexcept = default;

void gauge_slice_check::add(std::span<const colour_matrix> slice) {
  state& s = *state_;
  const int t = s.slices.next();
  s.slices.take(slice.size());
  for_each_site_of_slice(s.slices.lattice(), t,
                         [&](const coordinate& site) { s.look_at(site, slice); });
  if (t == 0) {
    s.first.assign(slice.begin(), slice.end());
  } else {
    s.add_plaquettes(s.last, slice);
  }
  s.last.assign(slice.begin(), slice.end());
}

gauge_summary gauge_slice_check::finish() {
  state& s = *state_;
  s.slices.check_complete();
  s.add_plaquettes(s.last, s.first);
  const coordinate& lattice = s.slices.lattice();
  const auto volume = static_cast<double>(io::site_count(lattice));
  const double spatial = s.plaquettes[0].local_total() / (9.0 * volume);
  const double temporal = s.plaquettes[1].local_total() / (9.0 * volume);
  return {{0.5 * (spatial + temporal), spatial, temporal},
          s.trace.local_total() / (12.0 * volume),
          s.unitarity_deviation,
          s.su3_deviation,
          link_name(lattice, s.furthest, s.furthest_mu)};
}

std::string check_summary(const gauge_summary& found, const std::string& path, int precision_bits,
                          bool allow_non_unitary) {
  if (!allow_non_unitary && found.su3_deviation > largest_deviation) {
    refuse_deviation(text(path, ": ", found.furthest), found.su3_deviation, largest_deviation);
  }
  return unitarity_warning(path, found.unitarity_deviation, precision_bits);
}

struct gauge_slice_reader::state {
  explicit state(const std::string& path)
      : reader(io::gauge_reader::open(path)), info(info_of(reader.layout())) {}

  io::gauge_reader reader;
  gauge_file_info info;
};

gauge_slice_reader::gauge_slice_reader(const std::string& path)
    : state_(std::make_unique<state>(path)) {}
gauge_slice_reader::~gauge_slice_reader() = default;
gauge_slice_reader::gauge_slice_reader(gauge_slice_reader&&) noexcept = default;
gauge_slice_reader& gauge_slice_reader::operator=(gauge_slice_reader&&) noexcept = default;

const gauge_file_info& gauge_slice_reader::info() const noexcept { return state_->info; }

const std::vector<std::string>& gauge_slice_reader::warnings() const noexcept {
  return state_->reader.layout().warnings;
}

void gauge_slice_reader::read(int t, std::span<colour_matrix> slice) {
  const coordinate& lattice = state_->info.lattice;
  const io::slice_counter slices(lattice, 4);
  slices.check_size(slice.size());
  slices.check_place(t);
  state_->reader.read(slice_block(lattice, t),
                      [&](const io::lattice_site& site, int mu, const io::link_matrix& link) {
                        slice[link_index(lattice, site, mu)] = link;
                      });
}

std::string gauge_slice_reader::checksum() const {
  return io::checksum_text(state_->reader.partial());
}

void gauge_slice_reader::verify_checksum() const {
  state_->reader.verify(state_->reader.partial());
}

void gauge_slice_reader::verify_means(const gauge_summary& found) const {
  compare_stated_means(state_->reader, found.plaquette.mean, found.link_trace);
}

struct gauge_slice_writer::state {
  state(const std::string& path, const std::string& format, const io::gauge_shape& shape)
      : slices(shape.extents, 4),
        writer(io::gauge_format_named(format), shape),
        file(io::staged_file::create(path)) {}

  bool needs_slice_below() const noexcept {
    return writer.layout().order == io::site_order::odd_sites;
  }

  void write(int t, std::span<const colour_matrix> slice, std::span<const colour_matrix> below) {
    const coordinate& lattice = slices.lattice();
    try {
      writer.write(*file, slice_block(lattice, t),
                   [&](io::lattice_site site, int mu) -> const io::link_matrix& {
                     const auto& from = site[3] == t ? slice : below;
                     for (std::size_t d = 0; d < 3; ++d) {
                       if (site[d] < 0) site[d] += lattice[d];
                     }
                     return from[link_index(lattice, site, mu)];
                   });
    } catch (...) {
      // A file with only part of a slice cannot become a configuration and is abandoned.
      file.reset();
      throw;
    }
  }

  io::slice_counter slices;
  io::gauge_writer writer;
  std::optional<io::staged_file> file;
  // These are kept for a format whose sites hold links of the slice below, because slice 0 waits
  // for the last slice.
  slice_links first, last;
};

gauge_slice_writer::gauge_slice_writer(const std::string& path, const std::string& format,
                                       const coordinate& lattice, int precision_bits, int rows)
    : state_(
          std::make_unique<state>(path, format, io::gauge_shape{lattice, precision_bits, rows})) {}
gauge_slice_writer::~gauge_slice_writer() = default;
gauge_slice_writer::gauge_slice_writer(gauge_slice_writer&&) noexcept = default;
gauge_slice_writer& gauge_slice_writer::operator=(gauge_slice_writer&&) noexcept = default;

void gauge_slice_writer::write(std::span<const colour_matrix> slice) {
  state& s = *state_;
  const int t = s.slices.next();
  if (!s.file) throw usage_error("the file is finished; no slice can be added");
  s.slices.take(slice.size());
  const bool waits = s.needs_slice_below();
  if (waits && t == 0)
    s.first.assign(slice.begin(), slice.end());
  else
    s.write(t, slice, s.last);
  if (waits) s.last.assign(slice.begin(), slice.end());
}

std::string gauge_slice_writer::checksum() const {
  return io::checksum_text(state_->writer.partial());
}

void gauge_slice_writer::finish(double plaquette, double link_trace) {
  state& s = *state_;
  s.slices.check_complete();
  if (!s.file) throw usage_error("the file is finished already");
  if (s.needs_slice_below()) s.write(0, s.first, s.last);
  s.writer.write_frame(*s.file, s.writer.partial(), {plaquette, link_trace});
  s.file->commit();
  s.file.reset();
}

void gauge_slice_writer::discard() noexcept { state_->file.reset(); }

}  // namespace onehop
