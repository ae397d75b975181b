#include <boost/test/unit_test.hpp>
#include <iomanip>
#include <limits>
#include <onehop/error.hpp>
#include <onehop/scidac_slices.hpp>
#include <sstream>

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

onehop::scidac_field_info field_info(const std::string& type, int count, int bits) {
  return {lattice, type, 1, count, 3, 0, bits, true, 0, lattice[3] - 1, "<info>numbers</info>"};
}

scidac_slice_writer writer_of(const std::string& path, int bits) {
  return {path, {field_info("QDP_D3_DiracPropagator", 144, bits)}, "<info>a test</info>"};
}

}  // namespace

BOOST_AUTO_TEST_CASE(slices_hold_the_numbers_of_their_sites_in_order) {
  const scratch_folder scratch;
  for (const int bits : {32, 64}) {
    scidac_slice_reader reader(scratch.file("field", propagator_file(lattice, bits)));
    BOOST_TEST(onehop::is_scidac_file(scratch.path("field")));
    BOOST_TEST(reader.fields().front().numbers == 144);
    BOOST_TEST(reader.fields().front().precision_bits == bits);
    BOOST_TEST((reader.fields().front().lattice == lattice));
    numbers slice(slice_numbers);
    for (const int t : {2, 0, 1}) {
      reader.read(0, t, slice);
      for (std::size_t n = 0; n < slice_numbers; ++n) {
        const auto first =
            static_cast<double>(2 * (static_cast<std::size_t>(t) * slice_numbers + n));
        BOOST_TEST_REQUIRE((slice[n] == std::complex<double>(first, first + 1)));
      }
    }
    reader.verify_checksum();
    for (const int t : {-1, 3}) BOOST_CHECK_THROW(reader.read(0, t, slice), onehop::usage_error);
  }
}

BOOST_AUTO_TEST_CASE(what_is_written_is_read_back_and_is_what_others_write) {
  const scratch_folder scratch;
  const auto described = propagator_file(lattice, 64);
  scidac_slice_reader reader(scratch.file("field", described));
  auto writer = writer_of(scratch.path("copy"), 64);
  numbers slice(slice_numbers);
  for (int t = 0; t < lattice[3]; ++t) {
    reader.read(0, t, slice);
    writer.write(0, slice);
  }
  writer.finish();
  BOOST_CHECK_EXCEPTION(writer.finish(), onehop::usage_error,
                        says<onehop::usage_error>("finished already"));
  BOOST_TEST(writer.checksum() == reader.checksum());
  const auto data = described.substr(described.find("scidac-binary-data") + 128,
                                     16 * slice_numbers * static_cast<std::size_t>(lattice[3]));
  BOOST_TEST((bytes_of_file(scratch.path("copy")).find(data) != std::string::npos));
  scidac_slice_reader copy(scratch.path("copy"));
  BOOST_TEST(copy.fields().front().colours == 3);
  for (int t = 0; t < lattice[3]; ++t) copy.read(0, t, slice);
  copy.verify_checksum();
}

BOOST_AUTO_TEST_CASE(as_many_numbers_as_a_site_may_have_are_read_back) {
  const scratch_folder scratch;
  auto info = field_info("QDP_F", 1 << 20, 32);
  info.lattice = {1, 1, 1, 1};
  info.last_time = 0;
  scidac_slice_writer writer(scratch.path("field"), {info}, "<info/>");
  const numbers written(1 << 20, {1, 2});
  writer.write(0, written);
  writer.finish();
  numbers read(written.size());
  scidac_slice_reader reader(scratch.path("field"));
  reader.read(0, 0, read);
  BOOST_TEST((read == written));
  reader.verify_checksum();
}

BOOST_AUTO_TEST_CASE(a_flipped_bit_is_found_when_all_was_read) {
  const scratch_folder scratch;
  auto bytes = propagator_file(lattice, 32);
  bytes[bytes.find("scidac-binary-data") + 1000] ^= 4;
  scidac_slice_reader reader(scratch.file("field", bytes));
  numbers slice(slice_numbers);
  for (int t = 0; t < lattice[3]; ++t) reader.read(0, t, slice);
  BOOST_CHECK_EXCEPTION(reader.verify_checksum(), onehop::checksum_error,
                        says<onehop::checksum_error>("SciDAC checksum sum"));
}

BOOST_AUTO_TEST_CASE(a_source_on_one_slice_lies_before_its_solutions) {
  const scratch_folder scratch;
  for (const int bits : {32, 64}) {
    scidac_slice_reader reader(scratch.file("field", staggered_file(lattice, bits)));
    BOOST_TEST_REQUIRE(reader.fields().size() == 4U);
    BOOST_TEST((reader.xml().find("ThreeSink") != std::string::npos));
    const auto& source = reader.fields()[0];
    BOOST_TEST((source.first_time == 1 && source.last_time == 1 && source.colours == 0));
    BOOST_TEST((reader.fields()[2].xml.find("<color>1<") != std::string::npos));
    numbers scalars(16), vectors(48);
    for (int t = 0; t < lattice[3]; ++t) {
      reader.read(0, t, scalars);
      for (std::size_t n = 0; n < scalars.size(); ++n) {
        const auto first = static_cast<double>(2 * n);
        BOOST_TEST((scalars[n] == (t == 1 ? std::complex(first, first + 1) : 0.0)));
      }
      for (int field = 1; field < 4; ++field) {
        reader.read(field, t, vectors);
        BOOST_TEST((vectors[5].imag() == 1000.0 * field + 96 * t + 11));
      }
    }
    reader.verify_checksum();
    BOOST_CHECK_THROW(reader.read(4, 0, vectors), onehop::usage_error);
    BOOST_CHECK_THROW(reader.read(-1, 0, vectors), onehop::usage_error);
  }
}

BOOST_AUTO_TEST_CASE(several_fields_are_written_in_turns_or_one_after_the_other) {
  const scratch_folder scratch;
  scidac_slice_reader reader(scratch.file("field", staggered_file(lattice, 64)));
  scidac_slice_writer by_fields(scratch.path("one"), reader.fields(), reader.xml());
  scidac_slice_writer by_slices(scratch.path("two"), reader.fields(), reader.xml());
  const auto hand_on = [&](int field, int t, scidac_slice_writer& to) {
    const auto& info = reader.fields()[static_cast<std::size_t>(field)];
    if (t < info.first_time || t > info.last_time) return;
    numbers slice(static_cast<std::size_t>(info.numbers) * 16);
    reader.read(field, t, slice);
    to.write(field, slice);
  };
  for (int field = 0; field < 4; ++field)
    for (int t = 0; t < lattice[3]; ++t) hand_on(field, t, by_fields);
  for (int t = 0; t < lattice[3]; ++t)
    for (const int field : {2, 0, 3, 1}) hand_on(field, t, by_slices);
  by_fields.finish();
  by_slices.finish();
  const auto bytes = bytes_of_file(scratch.path("one"));
  BOOST_TEST((bytes == bytes_of_file(scratch.path("two"))));
  const auto expected = staggered_file(lattice, 64);
  for (auto at = expected.find("<suma>"); at != std::string::npos;
       at = expected.find("<suma>", at + 1)) {
    const auto sum = std::stoul(expected.substr(at + 6), nullptr, 16);
    std::ostringstream words;
    words << std::hex << std::setw(8) << std::setfill('0') << sum;
    BOOST_TEST((bytes.find("<suma>" + words.str()) != std::string::npos));
  }
}

BOOST_AUTO_TEST_CASE(a_field_on_some_slices_comes_back_on_these) {
  const scratch_folder scratch;
  for (const int first : {0, 1}) {
    auto info = field_info("QLA_D_Complex", 1, 64);
    info.first_time = first;
    info.last_time = first + 1;
    scidac_slice_writer writer(scratch.path("field"), {info}, "<title>a source</title>");
    numbers slice(16, {2.5, -1});
    writer.write(0, slice);
    BOOST_CHECK_THROW(writer.finish(), onehop::usage_error);
    writer.write(0, slice);
    writer.finish();
    scidac_slice_reader reader(scratch.path("field"));
    const auto& found = reader.fields().front();
    BOOST_TEST((found.first_time == first && found.last_time == first + 1));
    for (int t = 0; t < lattice[3]; ++t) {
      reader.read(0, t, slice);
      const bool is_there = t == first || t == first + 1;
      BOOST_TEST((slice[15] == (is_there ? std::complex(2.5, -1.0) : 0.0)));
    }
    reader.verify_checksum();
    BOOST_TEST(writer.checksum() == reader.checksum());
  }
}

// Each file here but the first differs from a configuration in one thing that its header states.
BOOST_AUTO_TEST_CASE(four_colour_matrices_on_all_slices_are_a_configuration_and_nothing_else) {
  const scratch_folder scratch;
  const auto is_configuration = [&](const std::vector<onehop::scidac_field_info>& fields) {
    scidac_slice_writer writer(scratch.path("fields"), fields, "<info/>");
    for (std::size_t field = 0; field < fields.size(); ++field) {
      const auto& info = fields[field];
      const numbers slice(static_cast<std::size_t>(info.numbers) * 16);
      for (int t = info.first_time; t <= info.last_time; ++t)
        writer.write(static_cast<int>(field), slice);
    }
    writer.finish();
    try {
      onehop::io::gauge_reader::open(scratch.path("fields"));
    } catch (const onehop::file_error& error) {
      BOOST_TEST(says<onehop::file_error>("not a gauge configuration")(error));
      return false;
    }
    return true;
  };
  auto links = field_info("QDP_D3_ColorMatrix", 36, 64);
  links.objects = 4;
  BOOST_TEST(is_configuration({links}));
  BOOST_TEST(!is_configuration({links, links}));
  auto other = links;
  other.numbers = 12;
  BOOST_TEST(!is_configuration({other}), "four colour vectors");
  other = links;
  other.objects = 3, other.numbers = 27;
  BOOST_TEST(!is_configuration({other}), "three matrices");
  other = links;
  other.colours = 2;
  BOOST_TEST(!is_configuration({other}), "two colours");
  other = links;
  other.last_time = 1;
  BOOST_TEST(!is_configuration({other}), "two of three slices");
}

BOOST_AUTO_TEST_CASE(records_that_make_no_field_are_refused) {
  const scratch_folder scratch;
  const auto whole = staggered_file(lattice, 32);
  const auto refused = [&](std::string bytes, const std::string& words) {
    BOOST_CHECK_EXCEPTION(scidac_slice_reader(scratch.file("bad", bytes)), onehop::file_error,
                          says<onehop::file_error>(words));
  };
  const auto with = [&](const std::string& old, const std::string& instead) {
    auto bytes = whole;
    return bytes.replace(bytes.find(old), instead.size(), instead);
  };
  refused(with("<typesize>8<", "<typesize>7<"), "<typesize> as '7'");
  refused(with("<hyperlower>0 0 0 1", "<hyperlower>0 0 0 2"), "<hyperupper> as '1 3 1 1'");
  refused(with("<hyperlower>0 0 0 1 ", "<hyperlower>0 0 0 -1"), "<hyperupper> as '1 3 1 1'");
  refused(with("<hyperupper>1 3 1 1", "<hyperupper>1 3 1 3"), "<hyperupper> as '1 3 1 3'");
  for (const std::string part : {"1 0 0 1", "0 1 0 1", "0 0 1 1"})
    refused(with("<hyperlower>0 0 0 1", "<hyperlower>" + part), "whole time slices of 2x4x2x3");
  refused(with("<hyperlower>0 0 0 1", "<hyperlower>0 0 0 x"), "four numbers");
  refused(with("<recordtype>2", "<recordtype>0"), "has 128 bytes");
  refused(with("<recordtype>2", "<recordtype>1"), "one on some time slices");
  refused(with("<dims>2 4", "<dims>0 4"), "states the lattice 0x4x2x3");
  const auto first_data = whole.find("scidac-binary-data") - 16;
  refused(whole.substr(0, first_data), "ends before");
  const auto second_field = whole.find("scidac-private-record-xml", first_data) - 16;
  const auto first_field = whole.find("scidac-private-record-xml") - 16;
  const auto heads = whole.substr(first_field, first_data - first_field);
  refused(whole.substr(0, first_data) + whole.substr(second_field), "without numbers");
  refused(heads + whole.substr(first_data), "without 'scidac-private-file-xml'");
}

BOOST_AUTO_TEST_CASE(fields_that_no_file_holds_are_refused_before_there_is_one) {
  const scratch_folder scratch;
  const auto refuses = [&](const std::vector<onehop::scidac_field_info>& fields,
                           const std::string& words) {
    BOOST_CHECK_EXCEPTION(scidac_slice_writer(scratch.path("field"), fields, "<info/>"),
                          onehop::usage_error, says<onehop::usage_error>(words));
  };
  for (const int bits : {0, 16, 128}) refuses({field_info("QDP_D", 144, bits)}, "32 or 64 bit");
  for (const int count : {-1, 0, 1 << 30})
    refuses({field_info("QDP_D", count, 64)}, "1 to 1048576 numbers");
  refuses({}, "at least one field");
  auto other = field_info("QDP_D", 3, 64);
  other.last_time = 3;
  refuses({other}, "no time slices 0 to 3");
  other.lattice[3] = 4;
  refuses({field_info("QDP_D", 3, 64), other}, "2x4x2x3 and 2x4x2x4");
  other.objects = 2;
  refuses({other}, "2 objects");
  BOOST_TEST(scratch.entries().empty());
}

BOOST_AUTO_TEST_CASE(an_unfinished_file_is_removed_and_numbers_too_large_are_refused) {
  const scratch_folder scratch;
  numbers slice(slice_numbers);
  {
    auto writer = writer_of(scratch.path("field"), 32);
    writer.write(0, slice);
    BOOST_CHECK_EXCEPTION(writer.finish(), onehop::usage_error,
                          says<onehop::usage_error>("3 time slices, but only 1"));
    slice[7] = 1e39;
    BOOST_CHECK_EXCEPTION(writer.write(0, slice), onehop::numeric_error,
                          says<onehop::numeric_error>("32 bit cannot hold"));
    // A file with half a slice cannot be finished.
    BOOST_TEST(scratch.entries().empty());
    BOOST_CHECK_THROW(writer.write(0, slice), onehop::usage_error);
  }
  BOOST_TEST(scratch.entries().empty());
}
