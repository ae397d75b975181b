#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <onehop/error.hpp>
#include <optional>

#include "io/gauge_writer.hpp"
#include "unit/io_samples.hpp"

using namespace samples;
using onehop::io::gauge_writer;
using onehop::io::staged_file;

namespace {

// The blocks of a grid of ranks, each written by a writer of its own as ranks do.
void write_in_blocks(const configuration& links, const std::string& path, const std::string& format,
                     const lattice_site& grid) {
  auto root = staged_file::create(path);
  const onehop::io::gauge_contents contents{links.extents, plaquette(links), link_trace(links)};
  std::optional<onehop::io::partial_checksum> total;
  std::vector<staged_file> others;
  for (std::uint64_t rank = 0; rank < onehop::io::site_count(grid); ++rank) {
    gauge_writer writer(format, contents);
    others.push_back(staged_file::join(path, root.staging_path()));
    site_block block;
    const auto position = onehop::io::site_at(grid, rank);
    for (std::size_t d = 0; d < 4; ++d) {
      block.extents[d] = links.extents[d] / grid[d];
      block.origin[d] = position[d] * block.extents[d];
    }
    writer.write(others.back(), block, [&](const lattice_site& site, int mu) -> const link_matrix& {
      return links.link(site, mu);
    });
    if (!total) {
      total = writer.partial();
    } else {
      total->combine(writer.partial());
    }
  }
  gauge_writer(format, contents).write_frame(root, *total);
  root.commit();
}

unsigned long nersc_checksum(const std::string& file) {
  return std::stoul(file.substr(file.find("CHECKSUM = ") + 11), nullptr, 16);
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_written_is_read_back_bit_by_bit_whatever_the_grid) {
  const scratch_folder scratch;
  const auto links = random_configuration({4, 6, 2, 8}, 17);
  for (const std::string format : {"NERSC", "ILDG", "nersc", "ildg"}) {
    const auto path = scratch.path("links");
    std::string first;
    for (const lattice_site& grid :
         {lattice_site{1, 1, 1, 1}, {1, 1, 1, 4}, {2, 1, 1, 1}, {2, 3, 2, 2}, {4, 6, 2, 8}}) {
      write_in_blocks(links, path, format, grid);
      BOOST_TEST((read_verified(path) == links));
      const auto bytes = bytes_of_file(path);
      if (first.empty()) first = bytes;
      BOOST_TEST((bytes == first));
      BOOST_TEST(onehop::io::gauge_reader::open(path).layout().warnings.empty());
    }
  }
  BOOST_TEST(scratch.entries().size() == 1U);
}

BOOST_AUTO_TEST_CASE(written_files_follow_the_formats_descriptions) {
  const scratch_folder scratch;
  const auto links = random_configuration({2, 4, 2, 6}, 18);
  write_in_blocks(links, scratch.path("nersc"), "NERSC", {1, 1, 1, 2});
  const auto nersc = bytes_of_file(scratch.path("nersc"));
  const auto expected = nersc_file(links);
  const auto data_of = [](const std::string& f) { return f.substr(f.find("END_HEADER\n") + 11); };
  BOOST_TEST((data_of(nersc) == data_of(expected)));
  BOOST_TEST(nersc_checksum(nersc) == nersc_checksum(expected));
  BOOST_TEST(nersc_checksum(nersc) != 0U);

  write_in_blocks(links, scratch.path("ildg"), "ILDG", {1, 1, 1, 2});
  const auto ildg = bytes_of_file(scratch.path("ildg"));
  BOOST_TEST((ildg.find(ildg_data(links, 64).content) != std::string::npos));
  BOOST_TEST(ildg.size() % 8 == 0U);
}

BOOST_AUTO_TEST_CASE(header_states_plaquette_and_link_trace) {
  const scratch_folder scratch;
  const auto links = random_configuration({4, 2, 2, 2}, 19);
  write_in_blocks(links, scratch.path("links"), "NERSC", {1, 1, 1, 1});
  const auto layout = onehop::io::gauge_reader::open(scratch.path("links")).layout();
  BOOST_TEST(std::abs(layout.plaquette.value().value - plaquette(links)) < 1e-12);
  BOOST_TEST(std::abs(layout.link_trace.value().value - link_trace(links)) < 1e-12);
}

BOOST_AUTO_TEST_CASE(an_uncommitted_file_leaves_nothing_and_spares_the_old_one) {
  const scratch_folder scratch;
  const auto path = scratch.file("links", "old");
  {
    auto root = staged_file::create(path);
    const auto other = staged_file::join(path, root.staging_path());
    other.write(1000, std::string_view("new"));
    BOOST_TEST(scratch.entries().size() == 2U);
  }
  BOOST_TEST(scratch.entries().size() == 1U);
  BOOST_TEST(bytes_of_file(path) == "old");
}

BOOST_AUTO_TEST_CASE(a_link_to_a_file_keeps_pointing_at_it) {
  const scratch_folder scratch;
  const auto path = scratch.file("links", "old");
  std::filesystem::create_symlink(path, scratch.path("alias"));
  auto file = staged_file::create(scratch.path("alias"));
  file.write(0, std::string_view("new"));
  file.commit();
  BOOST_TEST(bytes_of_file(path) == "new");
  BOOST_TEST(std::filesystem::is_symlink(scratch.path("alias")));
}

BOOST_AUTO_TEST_CASE(a_path_that_cannot_be_written_is_refused_at_once) {
  const scratch_folder scratch;
  const auto refuses = [](const std::string& path, const std::string& reason) {
    BOOST_CHECK_EXCEPTION(
        staged_file::create(path), onehop::file_error, [&](const onehop::file_error& error) {
          const std::string message = error.what();
          BOOST_TEST_MESSAGE(message);
          return message.find(path) == 0 && message.find(reason) != std::string::npos &&
                 message.find('\n') == std::string::npos;
        });
  };
  refuses(scratch.path("no/such/folder"), "No such file or directory");
  refuses(scratch.path(""), "folder");
  BOOST_TEST_REQUIRE(::mkfifo(scratch.path("pipe").c_str(), 0600) == 0);
  refuses(scratch.path("pipe"), "not a regular file");
  refuses(scratch.file("plain", "") + "/below", "Not a directory");
  const auto kept = scratch.file("read-only", "old");
  BOOST_TEST_REQUIRE(::chmod(kept.c_str(), 0444) == 0);
  refuses(kept, "write-protected");
  BOOST_TEST(bytes_of_file(kept) == "old");
  BOOST_TEST(scratch.entries().size() == 3U);
}

BOOST_AUTO_TEST_CASE(an_unknown_format_is_refused_with_the_known_ones) {
  BOOST_CHECK_EXCEPTION(gauge_writer("HDF5", {{2, 2, 2, 2}}), onehop::usage_error,
                        [](const onehop::usage_error& error) {
                          const std::string message = error.what();
                          return message.find("'HDF5'") != std::string::npos &&
                                 message.find("NERSC and ILDG") != std::string::npos;
                        });
}
