#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <map>
#include <onehop/error.hpp>
#include <random>

#include "unit/io_samples.hpp"

using namespace samples;
using onehop::checksum_error;
using onehop::file_error;
using onehop::io::gauge_reader;

namespace {

// Returns the message of the file_error that reading gives; empty when reading succeeds.
std::string refusal(const std::string& path) {
  try {
    read_verified(path);
  } catch (const file_error& error) {
    return error.what();
  }
  return {};
}

bool says(const std::string& message, const std::vector<std::string>& words) {
  for (const auto& word : words) {
    if (message.find(word) == std::string::npos) {
      BOOST_TEST_MESSAGE("'" << word << "' is not in: " << message);
      return false;
    }
  }
  return message.find('\n') == std::string::npos;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  BOOST_REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_flipped_bit_of_the_data_is_refused_where_there_is_a_checksum) {
  const memory_file scratch;
  const std::map<std::string, std::string> kinds{{"NERSC", "NERSC checksum"},
                                                 {"ILDG", "SciDAC checksum sum"},
                                                 {"SciDAC", "SciDAC checksum sum"},
                                                 {"MILC", "MILC checksum sum"}};
  std::mt19937_64 random(11);
  for (const auto& s : every_kind({2, 4, 2, 2}, 21)) {
    if (!s.has_checksum) continue;
    const std::size_t rows = s.name.find("two-row") != std::string::npos ? 2 : 3;
    const std::size_t data = 32 * 4 * 6 * rows * static_cast<std::size_t>(s.bits) / 8;
    for (int flip = 0; flip < 200; ++flip) {
      auto bytes = s.bytes;
      const std::size_t at = s.data_offset + random() % data;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
      const auto path = scratch.put(bytes);
      BOOST_CHECK_EXCEPTION(read_verified(path), checksum_error, [&](const checksum_error& error) {
        return says(error.what(), {path, kinds.at(s.format), "in the file", "its data give"});
      });
    }
  }
}

BOOST_AUTO_TEST_CASE(a_wrong_checksum_names_kind_and_both_values) {
  const memory_file scratch;
  const auto links = random_configuration({2, 2, 2, 2}, 4);
  const auto data = ildg_data(links, 64);
  const lime_part wrong{"scidac-checksum",
                        "<scidacChecksum><suma>1</suma><sumb>2</sumb></scidacChecksum>"};
  const auto path = scratch.put(lime_file({ildg_format(links.extents, 64), data, wrong}));
  const auto right = scidac_checksum(data.content, 576).content;
  const auto suma =
      right.substr(right.find("<suma>") + 6, right.find("</suma>") - right.find("<suma>") - 6);
  BOOST_TEST(says(refusal(path), {path, "SciDAC checksum suma", "00000001", suma}));
}

BOOST_AUTO_TEST_CASE(a_truncated_file_is_refused_at_every_length) {
  const memory_file scratch;
  for (const auto& s : every_kind({2, 2, 2, 2}, 31)) {
    for (std::size_t size = 0; size < s.bytes.size();
         size += size < s.data_offset + 8 || size + 300 > s.bytes.size() ? 1 : 97) {
      const auto path = scratch.put(s.bytes.substr(0, size));
      const auto message = refusal(path);
      if (message.empty()) {
        // Only this damage may go unseen: that the padding of the last LIME record is missing as a
        // whole, which some writers leave out, or the record of checksums with it, which gives a
        // warning.
        auto reader = gauge_reader::open(path);
        const std::size_t checksum_record = s.bytes.rfind("scidac-checksum") - 16;
        const std::size_t padding = 8 - (s.bytes.rfind('>') + 1) % 8;
        const bool unseen = (s.format == "ILDG" || s.format == "SciDAC") &&
                            (s.bytes.size() - size == padding ||
                             (reader.layout().warnings.size() == 1 && size == checksum_record));
        BOOST_TEST(unseen, s.name << " cut to " << size << " bytes");
      } else {
        BOOST_TEST(says(message, {path}));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(scidac_files_of_other_fields_or_of_parts_are_refused) {
  const memory_file scratch;
  const auto links = random_configuration({2, 2, 2, 2}, 5);
  const std::string good = scidac_file(links, 64);
  BOOST_TEST(says(refusal(scratch.put(scidac_file(links, 64, 1))), {"one part of several"}));
  const auto other = replaced(
      replaced(replaced(good, "ColorMatrix", "DiracFermio"), "<typesize>144", "<typesize>192"),
      "<datacount>4", "<datacount>3");
  BOOST_TEST(says(refusal(scratch.put(other)), {"3 of QDP_D3_DiracFermio", "not a gauge"}));
  BOOST_TEST(says(refusal(scratch.put(replaced(good, "<dims>2 2 2 2 ", "<dims>2 2 2 x "))),
                  {"<dims>", "four numbers"}));
  BOOST_TEST(says(refusal(scratch.put(replaced(good, "<precision>D", "<precision>Q"))),
                  {"<precision> as 'Q'", "F or D"}));
  BOOST_TEST(says(refusal(scratch.put(replaced(good, "<recordtype>0", "<recordtype>1"))),
                  {"<recordtype> as '1'"}));
}

BOOST_AUTO_TEST_CASE(bytes_after_the_data_are_warned_of) {
  const memory_file scratch;
  for (const auto& s : every_kind({2, 2, 2, 2}, 41)) {
    if (s.format == "ILDG" && !s.has_checksum) continue;
    const auto path = scratch.put(s.bytes + std::string(160, 'x'));
    BOOST_TEST((read_verified(path) == s.links), s.name);
    const auto warnings = gauge_reader::open(path).layout().warnings;
    BOOST_TEST_REQUIRE(!warnings.empty());
    BOOST_TEST(says(warnings.back(), {path, "ignored 160 bytes"}), s.name);
  }
}

BOOST_AUTO_TEST_CASE(a_damaged_checksum_record_is_never_taken_for_an_absent_one) {
  const memory_file scratch;
  const auto links = random_configuration({2, 2, 2, 2}, 4);
  for (const auto& good : {scidac_file(links, 64), ildg_file(links, 64)}) {
    for (std::size_t at = good.rfind("scidac-checksum") - 16; at < good.size(); ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        auto bytes = good;
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
        const auto path = scratch.put(bytes);
        if (!refusal(path).empty()) continue;
        const auto kind = gauge_reader::open(path).layout().stated_checksum.kind;
        BOOST_TEST((kind == onehop::io::checksum_kind::scidac), "bit " << bit << " of byte " << at);
      }
    }
  }
  const std::string good = ildg_file(links, 64);
  const std::size_t record = good.rfind("scidac-checksum") - 16;
  for (const std::string type : {"scidac-chXXXsum", "Scidac-checksu", "scidac-checksumsX"}) {
    auto bytes = good;
    std::string field = type;
    field.resize(128);
    BOOST_TEST(says(refusal(scratch.put(bytes.replace(record + 16, 128, field))),
                    {"nearly 'scidac-checksum'", std::to_string(record)}));
  }
}

// Sixteen lost bytes move the header of the next record to where none is looked for.
BOOST_AUTO_TEST_CASE(bytes_lost_from_the_data_are_noticed_without_a_readable_checksum) {
  const memory_file scratch;
  const std::string good = ildg_file(random_configuration({2, 2, 2, 2}, 4), 64);
  const std::size_t data = good.find("ildg-binary-data") + 128;
  for (const std::size_t lost : {1, 8, 16, 72, 144}) {
    auto bytes = good;
    BOOST_TEST(
        says(refusal(scratch.put(bytes.erase(data + 100, lost))), {"not a LIME record", "damaged"}),
        lost);
  }
}

BOOST_AUTO_TEST_CASE(a_lime_file_cut_between_the_records_of_a_message_is_refused) {
  const memory_file scratch;
  const auto links = random_configuration({2, 2, 2, 2}, 4);
  auto format = ildg_format(links.extents, 64), data = ildg_data(links, 64);
  format.flags = 0x80;
  data.flags = 0x00;
  BOOST_TEST(says(refusal(scratch.put(lime_file({format, data}))), {"truncated", "LIME message"}));
  data.flags = 0x40;
  BOOST_TEST(refusal(scratch.put(lime_file({format, data}))).empty());
}

BOOST_AUTO_TEST_CASE(an_absent_checksum_is_warned_of) {
  const memory_file ildg, nersc;
  const auto links = random_configuration({2, 2, 2, 2}, 4);
  const auto format = ildg_format(links.extents, 64);
  for (const auto& [path, name] :
       {std::pair{ildg.put(lime_file({format, ildg_data(links, 64)})), "scidac-checksum"},
        std::pair{nersc.put(nersc_file(links, {"IEEE64BIG", 3, false})), "CHECKSUM"}}) {
    const auto warnings = gauge_reader::open(path).layout().warnings;
    BOOST_TEST_REQUIRE(warnings.size() == 1U);
    BOOST_TEST(says(warnings[0], {path, name}));
    BOOST_TEST((read_verified(path) == links));
  }
}

BOOST_AUTO_TEST_CASE(nonsense_in_a_nersc_header_is_named) {
  const memory_file scratch;
  const auto good = nersc_file(random_configuration({2, 2, 2, 2}, 4));
  const auto message = [&](const std::string& what, const std::string& by) {
    return refusal(scratch.put(replaced(good, what, by)));
  };
  BOOST_TEST(says(message("DIMENSION_2 = 2\n", ""), {"no DIMENSION_2"}));
  BOOST_TEST(says(message("DIMENSION_2 = 2", "DIMENSION_2 = 0"), {"2x0x2x2"}));
  BOOST_TEST(says(message("DIMENSION_2 = 2", "DIMENSION_2 = -4"), {"2x-4x2x2"}));
  BOOST_TEST(says(message("DIMENSION_2 = 2", "DIMENSION_2 = two"), {"DIMENSION_2", "'two'"}));
  BOOST_TEST(says(message("DIMENSION_2 = 2", "DIMENSION_2 = 4294967298"), {"4294967298"}));
  BOOST_TEST(says(message("DIMENSION_2 = 2", "DIMENSION_2 = 1048576"), {"truncated"}));
  BOOST_TEST(says(message("DIMENSION_2 = 2\n", "DIMENSION_2 = 2\nDIMENSION_2 = 4\n"), {"twice"}));
  BOOST_TEST(says(message("4D_SU3_GAUGE_3x3", "4D_SU2_GAUGE"), {"DATATYPE", "4D_SU2_GAUGE"}));
  BOOST_TEST(says(message("IEEE64BIG", "VAX"), {"FLOATING_POINT", "'VAX'"}));
  BOOST_TEST(says(message("PLAQUETTE = ", "PLAQUETTE = x"), {"PLAQUETTE", "finite number"}));
  BOOST_TEST(says(message("CHECKSUM = ", "CHECKSUM = xyz"), {"CHECKSUM", "hexadecimal"}));
  BOOST_TEST(says(message("END_HEADER", "END"), {"END_HEADER"}));
  const auto huge = "DIMENSION_1 = 1048576\nDIMENSION_2 = 1048576\nDIMENSION_3 = 1048576\n";
  BOOST_TEST(says(message("DIMENSION_1 = 2\nDIMENSION_2 = 2\nDIMENSION_3 = 2\n", huge),
                  {"more than any file can hold"}));
}

// Bytes that are not text must not reach a terminal, nor a language whose strings are UTF-8.
BOOST_AUTO_TEST_CASE(bytes_of_headers_that_are_no_text_are_shown_escaped) {
  const memory_file scratch;
  const auto links = random_configuration({2, 2, 2, 2}, 4);
  const auto nersc = nersc_file(links);
  for (const std::string bad : {"\xff", "\x1b[31m", "\xc2\x9b", "\a"}) {
    const auto message = refusal(scratch.put(replaced(nersc, "IEEE64BIG", "IEEE64" + bad + "BIG")));
    BOOST_TEST(says(message, {"FLOATING_POINT", "\\x"}));
    const auto data = ildg_data(links, 64);
    const auto format = replaced(ildg_format(links.extents, 64).content, "su3gauge", "su3" + bad);
    const auto other = refusal(scratch.put(lime_file({{"ildg-format", format}, data})));
    for (const std::string& said : {message, other})
      for (const char c : said) BOOST_TEST((c >= 0x20 && c < 0x7f));
  }
  const auto warned = replaced(nersc, "BOUNDARY_1 = PERIODIC", "BOUNDARY_1 = \x1b[2J");
  const auto warnings = gauge_reader::open(scratch.put(warned)).layout().warnings;
  BOOST_TEST_REQUIRE(warnings.size() == 1U);
  BOOST_TEST(says(warnings[0], {"BOUNDARY_1", "\\x1b[2J"}));
}

BOOST_AUTO_TEST_CASE(nonsense_in_an_ildg_file_is_named) {
  const memory_file scratch;
  const auto links = random_configuration({2, 2, 2, 2}, 4);
  const auto format = ildg_format(links.extents, 64);
  const auto data = ildg_data(links, 64);
  const auto sum = scidac_checksum(data.content, 576);
  const auto message = [&](const std::vector<lime_part>& parts) {
    return refusal(scratch.put(lime_file(parts)));
  };
  const auto with = [&](const std::string& what, const std::string& by) {
    return message({{"ildg-format", replaced(format.content, what, by)}, data, sum});
  };
  BOOST_TEST(says(message({data, sum}), {"no LIME record 'ildg-format'"}));
  BOOST_TEST(says(message({format, sum}), {"no LIME record 'ildg-binary-data'"}));
  BOOST_TEST(says(message({format, data, sum, data}), {"two ildg-binary-data"}));
  BOOST_TEST(says(message({format, data, sum, sum}), {"two scidac-checksum"}));
  BOOST_TEST(says(with("<lt>2", "<lt>4"), {"2x2x2x4", "ildg-binary-data"}));
  BOOST_TEST(says(with("<lt>2</lt>", ""), {"no <lt>"}));
  BOOST_TEST(says(with("<lt>2", "<lt>0"), {"2x2x2x0"}));
  BOOST_TEST(says(with("<lt>2", "<lt>two"), {"<lt>", "'two'"}));
  BOOST_TEST(says(with("<precision>64", "<precision>16"), {"<precision>", "'16'"}));
  BOOST_TEST(says(with("<precision>64", "<precision>32"), {"32 bit", "ildg-binary-data"}));
  BOOST_TEST(says(with("su3gauge", "su2gauge"), {"'su2gauge'"}));
  BOOST_TEST(says(message({format, data, {"scidac-checksum", "<suma>1</suma>"}}), {"no <sumb>"}));
  BOOST_TEST(says(message({format, data, {"scidac-checksum", std::string(100000, ' ')}}),
                  {"'scidac-checksum'", "100000"}));
}

BOOST_AUTO_TEST_CASE(nonsense_in_binary_headers_is_named) {
  const memory_file scratch;
  const auto links = random_configuration({2, 2, 2, 2}, 4);
  const auto with_byte = [](std::string bytes, std::size_t at, char value) {
    bytes[at] = value;
    return bytes;
  };
  const auto message = [&](const std::string& bytes) { return refusal(scratch.put(bytes)); };
  const auto milc = milc_file(links, true);
  BOOST_TEST(says(message(with_byte(milc, 8, 0)), {"2x0x2x2"}));
  BOOST_TEST(says(message(with_byte(milc, 11, '\x80')), {"-2147483646"}));
  BOOST_TEST(says(message(milc_file(links, true, 1)), {"order 1", "lexicographic"}));
  const auto openqcd = openqcd_file(links);
  BOOST_TEST(says(message(with_byte(openqcd, 4, 3)), {"3x2x2x2", "even"}));
  BOOST_TEST(says(message(with_byte(openqcd, 4, 4)), {"truncated", "openQCD"}));
  BOOST_TEST(says(message(with_byte(openqcd, 4, 0)), {"not a gauge configuration"}));
  BOOST_TEST(says(message(with_byte(openqcd, 23, '\x7f')), {"not a gauge configuration"}));
  BOOST_TEST(says(message("hello, this is a text file, nothing else"), {"68 65 6c 6c 6f"}));
}

BOOST_AUTO_TEST_CASE(what_is_no_file_is_refused_without_waiting) {
  const scratch_folder scratch;
  BOOST_TEST(says(refusal(scratch.path("missing")), {"missing", "No such file"}));
  BOOST_TEST(says(refusal(scratch.path("")), {"folder"}));
  BOOST_TEST_REQUIRE(::mkfifo(scratch.path("pipe").c_str(), 0600) == 0);
  BOOST_TEST(says(refusal(scratch.path("pipe")), {"pipe", "not a regular file"}));
  BOOST_TEST(says(refusal(scratch.file("empty", "")), {"empty"}));
}
