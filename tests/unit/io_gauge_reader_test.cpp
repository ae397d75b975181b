#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <onehop/error.hpp>

#include "unit/io_samples.hpp"

using namespace samples;
using onehop::io::gauge_reader;

BOOST_AUTO_TEST_CASE(every_format_gives_the_links_that_were_encoded) {
  const scratch_folder scratch;
  for (const auto& s : every_kind({4, 6, 2, 8})) {
    BOOST_TEST_CONTEXT(s.name) {
      auto reader = gauge_reader::open(scratch.file("links", s.bytes));
      const auto links = read_all(reader);
      reader.verify(reader.partial());
      BOOST_TEST((links == s.links));
      const auto& layout = reader.layout();
      BOOST_TEST(layout.format == s.format);
      BOOST_TEST(layout.reals.bits == s.bits);
      BOOST_TEST((layout.reals.order == std::endian::little) == s.little);
      BOOST_TEST(layout.data_offset == s.data_offset);
      BOOST_TEST((layout.stated_checksum.kind != onehop::io::checksum_kind::none) ==
                 s.has_checksum);
      BOOST_TEST(layout.warnings.size() == (s.has_checksum ? 0U : 1U));
      if (layout.plaquette) BOOST_TEST(std::abs(layout.plaquette->value - plaquette(links)) < 1e-9);
    }
  }
}

BOOST_AUTO_TEST_CASE(names_of_the_big_endian_types_have_a_short_form) {
  const scratch_folder scratch;
  for (const int bits : {32, 64}) {
    const auto links = random_configuration({2, 4, 2, 2}, 5, bits);
    const auto path = scratch.file("links", nersc_file(links, {"IEEE" + std::to_string(bits)}));
    BOOST_TEST((read_verified(path) == links));
  }
}

namespace {

// Reads the blocks of a grid of ranks, each by a reader of its own as ranks do.
configuration read_in_blocks(const std::string& path, const lattice_site& grid, bool& each_once) {
  configuration links;
  onehop::io::partial_checksum total;
  std::vector<int> seen;
  for (std::uint64_t rank = 0; rank < onehop::io::site_count(grid); ++rank) {
    auto reader = gauge_reader::open(path);
    const auto& extents = reader.layout().extents;
    if (rank == 0) {
      links = configuration(extents);
      seen.assign(links.links.size(), 0);
      total.kind = reader.partial().kind;
    }
    site_block block;
    const auto position = onehop::io::site_at(grid, rank);
    for (std::size_t d = 0; d < 4; ++d) {
      block.extents[d] = extents[d] / grid[d];
      block.origin[d] = position[d] * block.extents[d];
    }
    reader.read(block, [&](const lattice_site& site, int mu, const link_matrix& u) {
      links.link(site, mu) = u;
      ++seen[links.index(site, mu)];
      each_once = each_once && onehop::io::contains(block, site);
    });
    total.combine(reader.partial());
  }
  for (const int times : seen) each_once = each_once && times == 1;
  gauge_reader::open(path).verify(total);
  return links;
}

}  // namespace

BOOST_AUTO_TEST_CASE(blocks_of_any_grid_give_the_whole_and_its_checksum) {
  const scratch_folder scratch;
  const std::vector<lattice_site> grids{{1, 1, 1, 2}, {2, 1, 1, 1}, {1, 3, 1, 1}, {1, 1, 2, 2},
                                        {2, 2, 2, 1}, {4, 6, 2, 8}, {1, 2, 1, 8}};
  for (const auto& s : every_kind({4, 6, 2, 8}, 7)) {
    const auto path = scratch.file("links", s.bytes);
    for (const auto& grid : grids) {
      BOOST_TEST_CONTEXT(s.name << " on grid " << onehop::io::extents_text(grid)) {
        bool each_once = true;
        BOOST_TEST((read_in_blocks(path, grid, each_once) == s.links));
        BOOST_TEST(each_once);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_block_is_read_without_the_rest_of_the_file) {
  const memory_file file;
  const site_block lower{{0, 0, 0, 0}, {4, 2, 2, 4}}, upper{{0, 0, 0, 4}, {4, 2, 2, 4}};
  for (const auto& s : every_kind({4, 2, 2, 8}, 8)) {
    auto reader = gauge_reader::open(file.put(s.bytes));
    // openQCD keeps links of time slice 3 with the sites of slice 4.
    const std::size_t slices = s.format == "openQCD" ? 5 : 4;
    const std::size_t slice_bytes = 16 * reader.layout().site_bytes();
    file.put(s.bytes.substr(0, s.data_offset + slices * slice_bytes));
    const auto ignore = [](const lattice_site&, int, const link_matrix&) {};
    BOOST_CHECK_NO_THROW(reader.read(lower, ignore));
    BOOST_CHECK_THROW(reader.read(upper, ignore), onehop::file_error);
  }
}

BOOST_AUTO_TEST_CASE(extents_of_two_wrap_around) {
  const scratch_folder scratch;
  for (const auto& s : every_kind({2, 2, 2, 2}, 9)) {
    const auto path = scratch.file("links", s.bytes);
    bool each_once = true;
    BOOST_TEST((read_in_blocks(path, {2, 2, 2, 2}, each_once) == s.links), s.name);
    BOOST_TEST(each_once, s.name);
  }
}

BOOST_AUTO_TEST_CASE(a_lattice_may_be_one_site_wide) {
  const memory_file file;
  for (const auto& s : every_kind({1, 2, 1, 3}, 10)) {
    if (s.format == "openQCD") continue;  // Its files have even extents only.
    BOOST_TEST((read_verified(file.put(s.bytes)) == s.links), s.name);
  }
}

// Nothing but a likely plaquette tells an openQCD file from noise.
BOOST_AUTO_TEST_CASE(links_of_a_cold_start_are_an_openqcd_file) {
  const memory_file file;
  configuration cold({2, 4, 2, 2});
  for (auto& u : cold.links) u = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  BOOST_TEST((read_verified(file.put(openqcd_file(cold))) == cold));
}

BOOST_AUTO_TEST_CASE(lime_records_may_come_in_any_order_and_message) {
  const scratch_folder scratch;
  const auto links = random_configuration({4, 2, 2, 6}, 3);
  const auto format = ildg_format(links.extents, 64);
  const auto data = ildg_data(links, 64);
  const auto sum = scidac_checksum(data.content, 576);
  const lime_part lfn{"ildg-data-lfn", "lfn://nowhere/one", 0x00};
  const lime_part info{"xlf-info", "plaquette = 0.5", 0x80};
  const lime_part other{"scidac-binary-data", "seven b", 0x00};
  const lime_part other_sum{"scidac-checksum", "<suma>1</suma><sumb>2</sumb>", 0x40};
  const std::vector<std::vector<lime_part>> orders{
      {format, lfn, data, sum},
      {lfn, data, format, info, sum},
      {info, sum, data, format},
      {other, other_sum, format, data, sum, info},
      {format, data, sum, other, other_sum, lfn},
  };
  for (const auto& parts : orders) {
    const auto path = scratch.file("links", lime_file(parts));
    BOOST_TEST((read_verified(path) == links));
    BOOST_TEST(gauge_reader::open(path).layout().warnings.empty());
  }
}

namespace {

const char* data_folder() {
  const char* folder = std::getenv("ONEHOP_TEST_DATA");
  return folder != nullptr && *folder != '\0' ? folder : nullptr;
}

boost::test_tools::assertion_result have_data(boost::unit_test::test_unit_id) {
  boost::test_tools::assertion_result have(data_folder() != nullptr);
  have.message() << "skipped: ONEHOP_TEST_DATA names no folder of reference configurations";
  return have;
}

}  // namespace

BOOST_AUTO_TEST_CASE(reference_configurations_have_their_checksums_and_plaquettes,
                     *boost::unit_test::precondition(have_data)) {
  struct expected {
    const char* name;
    const char* format;
    double plaquette, link_trace;
    std::array<std::uint32_t, 2> sums;
    bool has_checksum;
  };
  for (const auto& e : std::vector<expected>{{"milc_v5_8x8x8x8_b6.0.lat",
                                              "MILC",
                                              0.5935602404328413,
                                              -0.0006456386203638892,
                                              {0x4f9d000e, 0x8d72f72e},
                                              true},
                                             {"nersc3x3_8x8x8x4_hisq_b3.360.nersc",
                                              "NERSC",
                                              0.5038664469495941,
                                              0.005406083857887091,
                                              {0xb379560a, 0},
                                              true},
                                             {"ildg_8x8x8x4_hisq_b3.360.ildg",
                                              "ILDG",
                                              0.5038664469495943,
                                              0.005406083857887091,
                                              {0x10d0ea1a, 0xa6a1b3b8},
                                              true},
                                             {"ildg_no_checksum_4x4x4x8.ildg",
                                              "ILDG",
                                              0.5690557243690105,
                                              0.06921659006058552,
                                              {0, 0},
                                              false}}) {
    BOOST_TEST_CONTEXT(e.name) {
      auto reader = gauge_reader::open(std::string(data_folder()) + "/" + e.name);
      const auto links = read_all(reader);
      reader.verify(reader.partial());
      BOOST_TEST(reader.layout().format == e.format);
      BOOST_TEST((reader.partial().words == e.sums));
      BOOST_TEST(reader.layout().warnings.size() == (e.has_checksum ? 0U : 1U));
      BOOST_TEST(plaquette(links) == e.plaquette, boost::test_tools::tolerance(1e-12));
      BOOST_TEST(link_trace(links) == e.link_trace, boost::test_tools::tolerance(1e-11));
    }
  }
}
