#include <boost/test/unit_test.hpp>
#include <limits>
#include <onehop/error.hpp>
#include <onehop/gauge_slices.hpp>
#include <onehop/launch.hpp>
#include <vector>

#include "unit/io_samples.hpp"

using namespace samples;
using onehop::colour_matrix;

namespace {

constexpr lattice_site lattice{4, 6, 2, 8};
constexpr std::size_t slice_links = 4 * 4 * 6 * 2;

std::vector<colour_matrix> slice_of(const configuration& links, int t) {
  const auto first =
      links.links.begin() + static_cast<std::ptrdiff_t>(links.index({0, 0, 0, t}, 0));
  return {first, first + slice_links};
}

void write_by_slices(const configuration& links, const std::string& path, const std::string& format,
                     int bits = 0, int rows = 0) {
  onehop::gauge_slice_writer writer(path, format, links.extents, bits, rows);
  for (int t = 0; t < links.extents[3]; ++t) writer.write(slice_of(links, t));
  writer.finish(plaquette(links), link_trace(links));
}

onehop::gauge_summary summary_of(const configuration& links) {
  onehop::gauge_slice_check check(links.extents);
  for (int t = 0; t < links.extents[3]; ++t) check.add(slice_of(links, t));
  return check.finish();
}

template <class Error>
auto says(const std::string& words) {
  return [words](const Error& error) {
    BOOST_TEST_MESSAGE(error.what());
    return std::string(error.what()).find(words) != std::string::npos;
  };
}

}  // namespace

BOOST_AUTO_TEST_CASE(slices_of_every_format_are_its_links) {
  const scratch_folder scratch;
  for (const auto& s : every_kind(lattice, 61)) {
    onehop::gauge_slice_reader reader(scratch.file("links", s.bytes));
    BOOST_TEST(reader.info().format == s.format);
    onehop::gauge_slice_check check(lattice);
    std::vector<colour_matrix> slice(slice_links);
    for (int t = 0; t < lattice[3]; ++t) {
      reader.read(t, slice);
      BOOST_TEST((slice == slice_of(s.links, t)), s.name << " slice " << t);
      check.add(slice);
    }
    reader.verify_checksum();
    reader.verify_means(check.finish());
    BOOST_TEST(reader.checksum().empty() == !s.has_checksum);
  }
}

BOOST_AUTO_TEST_CASE(slices_make_the_file_that_ranks_make) {
  const scratch_folder scratch;
  const auto links = random_configuration(lattice, 62, 32);
  for (const std::string format : {"NERSC", "ILDG", "SciDAC", "MILC", "openQCD"}) {
    const auto by_ranks = scratch.path("by_ranks"), by_slices = scratch.path("by_slices");
    onehop::run_on_threads(2, [&](onehop::context ctx) {
      const onehop::geometry block(ctx, lattice, {1, 1, 1, 2});
      onehop::gauge_field field(block);
      for (std::size_t n = 0; n < block.local_volume(); ++n) {
        const auto site = block.local_site(n);
        for (int mu = 0; mu < 4; ++mu) {
          field.link(mu, site) = links.link(block.global_site(site), mu);
        }
      }
      field.exchange_ghosts();
      onehop::write_gauge_file(field, by_ranks, format);
    });
    write_by_slices(links, by_slices, format);
    const auto layout = onehop::io::gauge_reader::open(by_slices).layout();
    BOOST_TEST((bytes_of_file(by_slices).substr(layout.data_offset) ==
                bytes_of_file(by_ranks).substr(layout.data_offset)),
               format);
  }
}

BOOST_AUTO_TEST_CASE(the_summary_of_slices_is_that_of_the_field) {
  const auto links = random_configuration(lattice, 63);
  const auto found = summary_of(links);
  onehop::run_on_threads(1, [&](onehop::context ctx) {
    const onehop::geometry block(ctx, lattice, {1, 1, 1, 1});
    onehop::gauge_field field(block);
    for (std::size_t n = 0; n < block.local_volume(); ++n) {
      const auto site = block.local_site(n);
      for (int mu = 0; mu < 4; ++mu) field.link(mu, site) = links.link(site, mu);
    }
    field.exchange_ghosts();
    const auto average = onehop::plaquette(field);
    BOOST_TEST(found.plaquette.mean == average.mean);
    BOOST_TEST(found.plaquette.spatial == average.spatial);
    BOOST_TEST(found.plaquette.temporal == average.temporal);
    BOOST_TEST(found.link_trace == onehop::link_trace(field));
    BOOST_TEST(found.unitarity_deviation == onehop::check_links(field));
  });
}

BOOST_AUTO_TEST_CASE(the_link_furthest_from_su3_is_named) {
  auto links = random_configuration(lattice, 64);
  const double before = summary_of(links).su3_deviation;
  BOOST_TEST(before < 1e-14);
  // A phase leaves the link unitary, so that only the determinant tells.
  for (auto& entry : links.link({3, 0, 1, 7}, 3)) entry *= std::polar(1.0, 0.01);
  const auto found = summary_of(links);
  BOOST_TEST(found.unitarity_deviation < 1e-14);
  BOOST_TEST(found.su3_deviation > 1e-2);
  BOOST_TEST(found.furthest == "the link in direction t at site (3,0,1,7) of lattice 4x6x2x8");
  links.link({3, 0, 1, 7}, 3)[0] = std::numeric_limits<double>::quiet_NaN();
  BOOST_CHECK_EXCEPTION(summary_of(links), onehop::numeric_error,
                        says<onehop::numeric_error>("direction t at site (3,0,1,7)"));
}

BOOST_AUTO_TEST_CASE(slices_out_of_turn_are_a_wrong_use) {
  const scratch_folder scratch;
  using refusal = onehop::usage_error;
  const auto links = random_configuration(lattice, 65);
  onehop::gauge_slice_check check(lattice);
  const std::vector<colour_matrix> small(7);
  BOOST_CHECK_EXCEPTION(check.add(small), refusal, says<refusal>("192 entries, not 7"));
  check.add(slice_of(links, 0));
  BOOST_CHECK_EXCEPTION(check.finish(), refusal, says<refusal>("8 time slices, but only 1"));
  onehop::gauge_slice_writer writer(scratch.path("links"), "ILDG", lattice);
  for (int t = 0; t < lattice[3]; ++t) {
    BOOST_CHECK_EXCEPTION(writer.finish(0, 0), refusal, says<refusal>("were given"));
    writer.write(slice_of(links, t));
  }
  BOOST_CHECK_EXCEPTION(writer.write(slice_of(links, 0)), refusal, says<refusal>("no more than 8"));
  BOOST_TEST(scratch.entries().size() == 1U);
  writer.discard();
  BOOST_TEST(scratch.entries().empty());
}

BOOST_AUTO_TEST_CASE(a_slice_that_cannot_be_written_leaves_no_file) {
  const scratch_folder scratch;
  for (const char* format : {"MILC", "SciDAC", "NERSC"}) {
    const auto links = random_configuration(lattice, 67);
    onehop::gauge_slice_writer writer(scratch.path("links"), format, lattice, 32);
    writer.write(slice_of(links, 0));
    auto wrong = slice_of(links, 1);
    wrong[20][3] = 1e300;
    BOOST_CHECK_THROW(writer.write(wrong), onehop::numeric_error);
    BOOST_TEST(scratch.entries().empty());
    BOOST_CHECK_THROW(writer.write(slice_of(links, 1)), onehop::usage_error);
  }
}

BOOST_AUTO_TEST_CASE(a_damaged_slice_is_found_at_the_end) {
  const scratch_folder scratch;
  const auto links = random_configuration(lattice, 66);
  write_by_slices(links, scratch.path("links"), "SciDAC");
  auto bytes = bytes_of_file(scratch.path("links"));
  const auto at =
      onehop::io::gauge_reader::open(scratch.path("links")).layout().data_offset + 12345;
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  onehop::gauge_slice_reader reader(scratch.file("damaged", bytes));
  std::vector<colour_matrix> slice(slice_links);
  for (int t = 0; t < lattice[3]; ++t) reader.read(t, slice);
  BOOST_CHECK_EXCEPTION(reader.verify_checksum(), onehop::checksum_error,
                        says<onehop::checksum_error>("SciDAC checksum suma"));
}
