#include <sys/stat.h>
#include <sys/syscall.h>
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

// Writes the blocks of a grid of ranks, each by a writer of its own as ranks do.
void write_in_blocks(const configuration& links, const std::string& path, const std::string& format,
                     const lattice_site& grid, int bits = 0, int rows = 0) {
  auto root = staged_file::create(path);
  const auto& known = onehop::io::gauge_format_named(format);
  const onehop::io::gauge_shape shape{links.extents, bits, rows};
  std::optional<onehop::io::partial_checksum> total;
  std::vector<staged_file> others;
  for (std::uint64_t rank = 0; rank < onehop::io::site_count(grid); ++rank) {
    gauge_writer writer(known, shape);
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
  gauge_writer(known, shape).write_frame(root, *total, {plaquette(links), link_trace(links)});
  root.commit();
}

struct kind {
  std::string format;
  int bits, rows;
};
const std::vector<kind> every_written_kind{
    {"NERSC", 64, 3}, {"NERSC", 32, 3},  {"NERSC", 64, 2},  {"nersc", 32, 2}, {"ILDG", 64, 3},
    {"ildg", 32, 3},  {"SciDAC", 64, 3}, {"SciDAC", 32, 3}, {"MILC", 32, 3},  {"openQCD", 64, 3}};

// Returns links that the kind keeps bit by bit.
configuration links_for(const kind& of, const lattice_site& extents, std::uint64_t seed) {
  auto links = random_configuration(extents, seed, of.bits);
  if (of.rows == 2) {
    for (auto& u : links.links) set_third_row(u);
  }
  return links;
}

unsigned long nersc_checksum(const std::string& file) {
  return std::stoul(file.substr(file.find("CHECKSUM = ") + 11), nullptr, 16);
}

/// A without_standard_input gives the next file that is opened the number 0.
class without_standard_input {
 public:
  without_standard_input() : kept_(dup(0)) { close(0); }
  ~without_standard_input() {
    close(0);
    if (kept_ >= 0) dup2(kept_, 0);
    close(kept_);
  }

 private:
  int kept_;
};

std::string watched_path, found_when_synced;

}  // namespace

// This stands for the system's call, and sees what the name holds while bytes go to the disk.
extern "C" int fsync(int descriptor) {
  if (!watched_path.empty()) found_when_synced = bytes_of_file(watched_path);
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

BOOST_AUTO_TEST_CASE(files_are_written_and_read_where_standard_input_is_closed) {
  const scratch_folder scratch;
  const std::string path = scratch.path("file");
  const std::string words = "words";
  std::string read;
  {
    const without_standard_input closed;
    auto file = staged_file::create(path);
    file.write(0, words);
    file.commit();
  }
  {
    const without_standard_input closed;
    const onehop::io::input_file file(path);
    read = file.read_text(0, words.size());
  }
  BOOST_TEST(read == words);
}

BOOST_AUTO_TEST_CASE(what_is_written_is_read_back_bit_by_bit_whatever_the_grid) {
  const scratch_folder scratch;
  for (const auto& of : every_written_kind) {
    const auto links = links_for(of, {4, 6, 2, 8}, 17);
    const auto path = scratch.path("links");
    std::string first;
    for (const lattice_site& grid :
         {lattice_site{1, 1, 1, 1}, {1, 1, 1, 4}, {2, 1, 1, 1}, {2, 3, 2, 2}, {4, 6, 2, 8}}) {
      write_in_blocks(links, path, of.format, grid, of.bits, of.rows);
      BOOST_TEST((read_verified(path) == links), of.format << of.bits << of.rows);
      const auto bytes = bytes_of_file(path);
      if (first.empty()) first = bytes;
      BOOST_TEST((bytes == first));
      BOOST_TEST(onehop::io::gauge_reader::open(path).layout().warnings.size() ==
                 (of.format == "openQCD" ? 1U : 0U));
    }
  }
  BOOST_TEST(scratch.entries().size() == 1U);
}

BOOST_AUTO_TEST_CASE(written_files_follow_the_formats_descriptions) {
  const scratch_folder scratch;
  const lattice_site extents{2, 4, 2, 6};
  const auto written = [&](const kind& of, const configuration& links) {
    write_in_blocks(links, scratch.path("links"), of.format, {1, 1, 1, 2}, of.bits, of.rows);
    return bytes_of_file(scratch.path("links"));
  };
  for (const int bits : {32, 64}) {
    for (const int rows : {2, 3}) {
      const auto links = links_for({"NERSC", bits, rows}, extents, 18);
      const auto nersc = written({"NERSC", bits, rows}, links);
      const auto expected = nersc_file(links, {bits == 64 ? "IEEE64BIG" : "IEEE32BIG", rows});
      const auto data_of = [](const std::string& f) {
        return f.substr(f.find("END_HEADER\n") + 11);
      };
      BOOST_TEST((data_of(nersc) == data_of(expected)));
      BOOST_TEST(nersc_checksum(nersc) == nersc_checksum(expected));
      BOOST_TEST(nersc_checksum(nersc) != 0U);
    }
    const auto links = links_for({"ILDG", bits, 3}, extents, 18);
    const auto data = ildg_data(links, bits).content;
    for (const std::string format : {"ILDG", "SciDAC"}) {
      const auto lime = written({format, bits, 3}, links);
      BOOST_TEST((lime.find(data) != std::string::npos));
      BOOST_TEST(lime.size() % 8 == 0U);
    }
  }
  const auto narrow = links_for({"MILC", 32, 3}, extents, 18);
  const auto milc = written({"MILC", 32, 3}, narrow);
  const auto expected = milc_file(narrow, true);
  // The time stamp, bytes 20 to 83, may be anything.
  BOOST_TEST((milc.substr(0, 20) == expected.substr(0, 20)));
  BOOST_TEST((milc.substr(84) == expected.substr(84)));
  const auto wide = links_for({"openQCD", 64, 3}, extents, 18);
  const auto openqcd = written({"openQCD", 64, 3}, wide);
  const auto described = openqcd_file(wide);
  BOOST_TEST((openqcd.substr(0, 16) == described.substr(0, 16)));
  BOOST_TEST((openqcd.substr(24) == described.substr(24)));
  const auto layout = onehop::io::gauge_reader::open(scratch.path("links")).layout();
  BOOST_TEST(std::abs(layout.plaquette.value().value - plaquette(wide)) < 1e-12);
}

BOOST_AUTO_TEST_CASE(what_a_format_cannot_hold_is_refused) {
  const auto refuses = [](const std::string& format, const lattice_site& extents, int bits,
                          int rows, const std::string& why) {
    BOOST_CHECK_EXCEPTION(
        gauge_writer(onehop::io::gauge_format_named(format), {extents, bits, rows}),
        onehop::usage_error, [&](const onehop::usage_error& error) {
          return std::string(error.what()).find(why) != std::string::npos;
        });
  };
  refuses("MILC", {2, 2, 2, 2}, 64, 0, "MILC files are in single precision only");
  refuses("openQCD", {2, 2, 2, 2}, 32, 0, "openQCD files are in double precision only");
  refuses("openQCD", {2, 3, 2, 2}, 0, 0, "even extents only, not 2x3x2x2");
  refuses("ILDG", {2, 2, 2, 2}, 64, 2, "ILDG files have all three rows");
  for (const char* format : {"NERSC", "ILDG", "MILC", "openQCD", "SciDAC"}) {
    for (const int bits : {-64, 16, 33, 128})
      refuses(format, {2, 2, 2, 2}, bits, 3, "32 or 64 bit");
    for (const int rows : {-3, 1, 4, 300}) refuses(format, {2, 2, 2, 2}, 0, rows, "2 or 3 rows");
  }
}

BOOST_AUTO_TEST_CASE(links_that_would_not_come_back_are_refused_by_name) {
  const scratch_folder scratch;
  const auto refuses = [&](const kind& of, const configuration& links, const std::string& why) {
    BOOST_CHECK_EXCEPTION(
        write_in_blocks(links, scratch.path("links"), of.format, {1, 1, 1, 1}, of.bits, of.rows),
        onehop::numeric_error, [&](const onehop::numeric_error& error) {
          const std::string message = error.what();
          BOOST_TEST_MESSAGE(message);
          return message.find(why) != std::string::npos &&
                 message.find("direction z at site (1,0,1,3)") != std::string::npos;
        });
    BOOST_TEST(scratch.entries().empty());
  };
  auto links = random_configuration({2, 2, 2, 4}, 20);
  links.link({1, 0, 1, 3}, 2)[7] += 1e-6;
  refuses({"NERSC", 64, 2}, links, "two rows");
  links.link({1, 0, 1, 3}, 2)[7] = 1e39;
  refuses({"MILC", 32, 3}, links, "32 bit cannot hold");
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

BOOST_AUTO_TEST_CASE(an_uncommitted_file_leaves_nothing_where_standard_input_is_closed) {
  const scratch_folder scratch;
  {
    const without_standard_input closed;
    staged_file::create(scratch.path("links")).write(0, std::string_view("new"));
  }
  BOOST_TEST(scratch.entries().empty());
}

BOOST_AUTO_TEST_CASE(a_file_is_whole_however_early_another_writer_ends) {
  const scratch_folder scratch;
  auto root = staged_file::create(scratch.path("links"));
  {
    const auto other = staged_file::join(scratch.path("links"), root.staging_path());
    other.write(0, std::string_view("new"));
    other.flush();
  }
  root.commit();
  BOOST_TEST(bytes_of_file(scratch.path("links")) == "new");
}

// After a power cut the name must hold the old bytes or all of the new ones.
BOOST_AUTO_TEST_CASE(bytes_are_on_the_disk_before_a_file_has_its_name) {
  const scratch_folder scratch;
  watched_path = scratch.file("links", "old");
  auto file = staged_file::create(watched_path);
  file.write(0, std::string_view("new"));
  file.commit();
  BOOST_TEST(found_when_synced == "old");
  BOOST_TEST(bytes_of_file(watched_path) == "new");
  watched_path.clear();
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
  BOOST_CHECK_EXCEPTION(onehop::io::gauge_format_named("HDF5"), onehop::usage_error,
                        [](const onehop::usage_error& error) {
                          const std::string message = error.what();
                          return message.find("'HDF5'") != std::string::npos &&
                                 message.find("NERSC, MILC and openQCD") != std::string::npos;
                        });
}
