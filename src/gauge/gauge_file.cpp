#include <array>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/gauge_field.hpp>
#include <optional>

#include "base/named.hpp"
#include "base/text.hpp"
#include "gauge/link_check.hpp"
#include "gauge/stated_means.hpp"
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

// The file's path is added to messages here, because the checks know sites but no files.
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
  const std::string line =
      unitarity_warning(reader.path(), unitarity_violation, reader.layout().reals.bits);
  if (!line.empty()) warn(line);
}

// Opens the file for all ranks; collective.
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
  return info_of(reader.layout());
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
  together(ctx, [&] { compare_stated_means(*reader, mean_plaquette, mean_trace); });
  if (options.warn && ctx.rank() == 0) warn_all(*reader, unitarity_violation, options.warn);
  return links;
}

void write_gauge_file(const gauge_field& links, const std::string& path, const std::string& format,
                      const gauge_write_options& options) {
  const geometry& geometry = links.geometry();
  const context& ctx = geometry.context();
  agree(ctx, "write with",
        std::array{named("format", format), named("path", path),
                   named("precision_bits", options.precision_bits), named("rows", options.rows)});
  // A wrong format or bad links are refused before any file is created.
  io::gauge_writer writer(io::gauge_format_named(format),
                          {geometry.lattice(), options.precision_bits, options.rows});
  check_links(links);
  io::staged_file file = open_everywhere(ctx, path);
  const io::gauge_means means{plaquette(links).mean, link_trace(links)};
  together(ctx, [&] {
    writer.write(file, block_of(geometry),
                 [&](const io::lattice_site& site, int mu) -> const io::link_matrix& {
                   return links.link(mu, local_from_global(geometry, site));
                 });
    file.flush();
  });
  const auto total = combined(ctx, writer.partial());
  together(ctx, [&] {
    if (ctx.rank() != 0) return;
    writer.write_frame(file, total, means);
    file.commit();
  });
}

}  // namespace onehop
