#include <boost/test/unit_test.hpp>
#include <limits>
#include <onehop/error.hpp>
#include <onehop/scidac_slices.hpp>

#include "unit/io_samples.hpp"

using namespace samples;
using onehop::scidac_slice_reader;
using onehop::scidac_slice_writer;

namespace {

constexpr lattice_site lattice{2, 4, 2, 3};
constexpr std::size_t slice_numbers = std::size_t{144} * 2 * 4 * 2;
using numbers = std::vector<std::complex<double>>;

template <class Error>
auto says(const std::string& words) {
  return [words](const Error& error) {
    BOOST_TEST_MESSAGE(error.what());
    return std::string(error.what()).find(words) != std::string::npos;
  };
}

scidac_slice_writer writer_of(const std::string& path, int bits) {
  return {path, {lattice, "QDP_D3_DiracPropagator", 144, 3, 4, bits, true}, "numbers of a test"};
}

}  // namespace

BOOST_AUTO_TEST_CASE(slices_hold_the_numbers_of_their_sites_in_order) {
  const scratch_folder scratch;
  for (const int bits : {32, 64}) {
    scidac_slice_reader reader(scratch.file("field", propagator_file(lattice, bits)));
    BOOST_TEST(onehop::is_scidac_file(scratch.path("field")));
    BOOST_TEST(reader.info().numbers == 144);
    BOOST_TEST(reader.info().precision_bits == bits);
    BOOST_TEST((reader.info().lattice == lattice));
    numbers slice(slice_numbers);
    for (const int t : {2, 0, 1}) {
      reader.read(t, slice);
      for (std::size_t n = 0; n < slice_numbers; ++n) {
        const auto first =
            static_cast<double>(2 * (static_cast<std::size_t>(t) * slice_numbers + n));
        BOOST_TEST_REQUIRE((slice[n] == std::complex<double>(first, first + 1)));
      }
    }
    reader.verify_checksum();
    for (const int t : {-1, 3}) BOOST_CHECK_THROW(reader.read(t, slice), onehop::usage_error);
  }
}

BOOST_AUTO_TEST_CASE(what_is_written_is_read_back_and_is_what_others_write) {
  const scratch_folder scratch;
  const auto described = propagator_file(lattice, 64);
  scidac_slice_reader reader(scratch.file("field", described));
  auto writer = writer_of(scratch.path("copy"), 64);
  numbers slice(slice_numbers);
  for (int t = 0; t < lattice[3]; ++t) {
    reader.read(t, slice);
    writer.write(slice);
  }
  writer.finish();
  BOOST_TEST(writer.checksum() == reader.checksum());
  const auto data = described.substr(described.find("scidac-binary-data") + 128,
                                     16 * slice_numbers * static_cast<std::size_t>(lattice[3]));
  BOOST_TEST((bytes_of_file(scratch.path("copy")).find(data) != std::string::npos));
  scidac_slice_reader copy(scratch.path("copy"));
  BOOST_TEST(copy.info().spins == 4);
  for (int t = 0; t < lattice[3]; ++t) copy.read(t, slice);
  copy.verify_checksum();
}

BOOST_AUTO_TEST_CASE(a_flipped_bit_is_found_when_all_was_read) {
  const scratch_folder scratch;
  auto bytes = propagator_file(lattice, 32);
  bytes[bytes.find("scidac-binary-data") + 1000] ^= 4;
  scidac_slice_reader reader(scratch.file("field", bytes));
  numbers slice(slice_numbers);
  for (int t = 0; t < lattice[3]; ++t) reader.read(t, slice);
  BOOST_CHECK_EXCEPTION(reader.verify_checksum(), onehop::checksum_error,
                        says<onehop::checksum_error>("SciDAC checksum sum"));
}

BOOST_AUTO_TEST_CASE(several_fields_and_fields_without_numbers_are_refused) {
  const scratch_folder scratch;
  const auto one = propagator_file(lattice, 32);
  const auto again = one.find("scidac-private-record-xml") - 16;
  BOOST_CHECK_EXCEPTION(scidac_slice_reader(scratch.file("two", one + one.substr(again))),
                        onehop::file_error, says<onehop::file_error>("holds 2 fields"));
  auto bytes = one;
  bytes.replace(bytes.find("<typesize>1152"), 14, "<typesize>1151");
  BOOST_CHECK_EXCEPTION(scidac_slice_reader(scratch.file("odd", bytes)), onehop::file_error,
                        says<onehop::file_error>("<typesize> as '1151'"));
}

BOOST_AUTO_TEST_CASE(numbers_that_no_file_holds_are_refused_before_there_is_one) {
  const scratch_folder scratch;
  const auto refuses = [&](int count, int bits, const std::string& words) {
    BOOST_CHECK_EXCEPTION(
        scidac_slice_writer(scratch.path("field"), {lattice, "QDP_D", count, 3, 4, bits, true}, ""),
        onehop::usage_error, says<onehop::usage_error>(words));
  };
  for (const int bits : {0, 16, 128}) refuses(144, bits, "32 or 64 bit");
  for (const int count : {-1, 0, 1 << 30}) refuses(count, 64, "1 to 1048576 numbers");
  BOOST_TEST(scratch.entries().empty());
}

BOOST_AUTO_TEST_CASE(an_unfinished_file_is_removed_and_numbers_too_large_are_refused) {
  const scratch_folder scratch;
  numbers slice(slice_numbers);
  {
    auto writer = writer_of(scratch.path("field"), 32);
    writer.write(slice);
    BOOST_CHECK_EXCEPTION(writer.finish(), onehop::usage_error,
                          says<onehop::usage_error>("3 time slices, but only 1"));
    slice[7] = 1e39;
    BOOST_CHECK_EXCEPTION(writer.write(slice), onehop::numeric_error,
                          says<onehop::numeric_error>("32 bit cannot hold"));
    // A file with half a slice cannot be finished.
    BOOST_TEST(scratch.entries().empty());
    BOOST_CHECK_THROW(writer.write(slice), onehop::usage_error);
  }
  BOOST_TEST(scratch.entries().empty());
}
