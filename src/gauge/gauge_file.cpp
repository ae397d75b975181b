#include <algorithm>
#include <cmath>
#include <limits>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/gauge_field.hpp>
#include <optional>

#include "base/text.hpp"
#include "gauge/link_check.hpp"
#include "io/gauge_reader.hpp"
#include "io/gauge_writer.hpp"
#include "io/staged_file.hpp"

namespace onehop {
namespace {

io::site_block block_of(const geometry& geometry) { return {geometry.origin(), geometry.local()}; }

coordinate local_from_global(const geometry& geometry, coordinate site) noexcept {
  for (std::size_t d = 0; d < 4; ++d) site[d] -= geometry.origin()[d];
  return site;
}

io::partial_checksum combined(const context& ctx, const io::partial_checksum& mine) {
  io::partial_checksum total{mine.kind, {}};
  for (const auto& part : allgather(ctx, mine)) total.combine(part);
  return total;
}

void check_extents(const io::gauge_reader& reader, const coordinate& lattice) {
  if (reader.layout().extents == lattice) return;
  throw usage_error(text(reader.path(), ": holds the lattice ",
                         io::extents_text(reader.layout().extents), ", not ", to_string(lattice),
                         "; leave the lattice to the file"));
}

// What a header's number may differ by: its own rounding, bounded because a writer may have
// stripped zeros, plus that of the program that computed it in the file's precision.
double tolerance(const io::stated_number& stated, int precision_bits) noexcept {
  return std::min(stated.unit, 1e-3) + (precision_bits == 32 ? 1e-5 : 1e-9);
}

void compare(const io::gauge_reader& reader, const char* name,
             const std::optional<io::stated_number>& stated, double computed) {
  if (!stated) return;
  const double allowed = tolerance(*stated, reader.layout().reals.bits);
  // Written so that a computed value that is not a number is refused.
  if (std::abs(stated->value - computed) <= allowed) return;
  throw file_error(text(reader.path(), ": its header states the ", name, " ", stated->value,
                        ", but its links give ", computed, ", more than ", allowed,
                        " away; the file is damaged or its links are not what the header says"));
}

// Far above the rounding of either precision and far below any damage.
double unitarity_allowed(int precision_bits) noexcept {
  return precision_bits == 32 ? 1e-5 : 1e-10;
}

// Links in fewer digits than any file has are closer; what is further away is no SU(3) link.
constexpr double largest_deviation = 1e-3;

// The checks know sites but no files.
double check_read_links(const gauge_field& links, const std::string& path, bool non_unitary) {
  try {
    const double unitarity_violation = check_links(links);
    if (!non_unitary) check_special_unitary(links, largest_deviation);
    return unitarity_violation;
  } catch (const numeric_error& bad) {
    throw numeric_error(text(path, ": ", bad.what()));
  }
}

void warn_all(const io::gauge_reader& reader, double unitarity_violation,
              const std::function<void(const std::string&)>& warn) {
  for (const auto& line : reader.layout().warnings) warn(line);
  if (unitarity_violation > unitarity_allowed(reader.layout().reals.bits)) {
    warn(text(reader.path(), ": its links differ from SU(3) by up to ", unitarity_violation,
              "; they are used as stored"));
  }
}

// Collective.
io::staged_file open_everywhere(const context& ctx, const std::string& path) {
  std::optional<io::staged_file> file;
  together(ctx, [&] {
    if (ctx.rank() == 0) file.emplace(io::staged_file::create(path));
  });
  std::string name = ctx.rank() == 0 ? file->staging_path() : std::string();
  std::uint64_t length = name.size();
  broadcast(ctx, std::as_writable_bytes(std::span(&length, 1)));
  name.resize(length);
  broadcast(ctx, std::as_writable_bytes(std::span(name)));
  together(ctx, [&] {
    if (ctx.rank() != 0) file.emplace(io::staged_file::join(path, name));
  });
  return std::move(*file);
}

}  // namespace

gauge_file_info inspect_gauge_file(const std::string& path) {
  const auto reader = io::gauge_reader::open(path);
  const io::gauge_layout& layout = reader.layout();
  gauge_file_info info;
  info.format = layout.format;
  info.lattice = layout.extents;
  info.precision_bits = layout.reals.bits;
  info.endianness = layout.reals.order == std::endian::big ? "big" : "little";
  info.has_checksum = layout.stated_checksum.kind != io::checksum_kind::none;
  info.plaquette =
      layout.plaquette ? layout.plaquette->value : std::numeric_limits<double>::quiet_NaN();
  return info;
}

gauge_field read_gauge_file(const geometry& geometry, const std::string& path,
                            const gauge_read_options& options) {
  const context& ctx = geometry.context();
  std::optional<io::gauge_reader> reader;
  together(ctx, [&] {
    reader.emplace(io::gauge_reader::open(path));
    check_extents(*reader, geometry.lattice());
  });
  gauge_field links(geometry);
  together(ctx, [&] {
    reader->read(block_of(geometry),
                 [&](const io::lattice_site& site, int mu, const io::link_matrix& link) {
                   links.link(mu, local_from_global(geometry, site)) = link;
                 });
  });
  const auto total = combined(ctx, reader->partial());
  together(ctx, [&] { reader->verify(total); });
  const double unitarity_violation = check_read_links(links, path, options.allow_non_unitary);
  links.exchange_ghosts();
  const double mean_plaquette = plaquette(links).mean;
  const double mean_trace = link_trace(links);
  together(ctx, [&] {
    compare(*reader, "plaquette", reader->layout().plaquette, mean_plaquette);
    compare(*reader, "link trace", reader->layout().link_trace, mean_trace);
  });
  if (options.warn && ctx.rank() == 0) warn_all(*reader, unitarity_violation, options.warn);
  return links;
}

void write_gauge_file(const gauge_field& links, const std::string& path,
                      const std::string& format) {
  const geometry& geometry = links.geometry();
  const context& ctx = geometry.context();
  // A wrong format or bad links are refused before anything is created.
  io::gauge_writer(format, {geometry.lattice()});
  check_links(links);
  io::staged_file file = open_everywhere(ctx, path);
  io::gauge_writer writer(format, {geometry.lattice(), plaquette(links).mean, link_trace(links)});
  together(ctx, [&] {
    writer.write(file, block_of(geometry),
                 [&](const io::lattice_site& site, int mu) -> const io::link_matrix& {
                   return links.link(mu, local_from_global(geometry, site));
                 });
  });
  const auto total = combined(ctx, writer.partial());
  together(ctx, [&] {
    if (ctx.rank() != 0) return;
    writer.write_frame(file, total);
    file.commit();
  });
}

}  // namespace onehop
