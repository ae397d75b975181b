#include "unit/io_samples.hpp"

#include <cstdio>
#include <cstring>

namespace samples {
namespace {

std::size_t at(int n) { return static_cast<std::size_t>(n); }

lattice_site one_back(lattice_site site, int mu) {
  --site[at(mu)];
  return site;
}

template <class Word>
void append_word(std::string& to, Word word, bool little) {
  for (std::size_t k = 0; k < sizeof(Word); ++k) {
    const std::size_t byte = little ? k : sizeof(Word) - 1 - k;
    to += static_cast<char>(static_cast<unsigned char>(word >> (8 * byte)));
  }
}

void append_real(std::string& to, double value, int bits, bool little) {
  if (bits == 64) {
    std::uint64_t word;
    std::memcpy(&word, &value, 8);
    append_word(to, word, little);
  } else {
    const auto narrow = static_cast<float>(value);
    std::uint32_t word;
    std::memcpy(&word, &narrow, 4);
    append_word(to, word, little);
  }
}

void append_link(std::string& to, const link_matrix& u, int bits, bool little, int rows = 3) {
  for (std::size_t k = 0; k < 3 * at(rows); ++k) {
    append_real(to, u[k].real(), bits, little);
    append_real(to, u[k].imag(), bits, little);
  }
}

std::string in_site_order(const configuration& links, int bits, bool little, int rows = 3) {
  std::string data;
  for (const auto& u : links.links) append_link(data, u, bits, little, rows);
  return data;
}

std::vector<std::uint32_t> words_of(const std::string& data, bool little) {
  std::vector<std::uint32_t> words(data.size() / 4);
  for (std::size_t k = 0; k < data.size(); ++k) {
    const std::size_t place = little ? k % 4 : 3 - k % 4;
    words[k / 4] |= std::uint32_t{static_cast<unsigned char>(data[k])} << (8 * place);
  }
  return words;
}

std::uint32_t rotated(std::uint32_t word, std::size_t by) {
  return by == 0 ? word : (word << by) | (word >> (32 - by));
}

std::uint32_t slow_crc32(const char* data, std::size_t bytes) {
  std::uint32_t crc = 0xffffffff;
  for (std::size_t k = 0; k < bytes; ++k) {
    crc ^= static_cast<unsigned char>(data[k]);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? (crc >> 1) ^ 0xedb88320 : crc >> 1;
  }
  return ~crc;
}

template <class... Values>
std::string printed(const char* format, Values... values) {
  std::array<char, 512> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

}  // namespace

std::string nersc_file(const configuration& links, const nersc_choice& choice) {
  const int bits = choice.floating_point.find("64") != std::string::npos ? 64 : 32;
  const bool little = choice.floating_point.find("LITTLE") != std::string::npos;
  const std::string data = in_site_order(links, bits, little, choice.rows);
  std::uint32_t sum = 0;
  for (const auto word : words_of(data, little)) sum += word;
  std::string header = "BEGIN_HEADER\nHDR_VERSION = 1.0\n";
  header += choice.rows == 3 ? "DATATYPE = 4D_SU3_GAUGE_3x3\n" : "DATATYPE = 4D_SU3_GAUGE\n";
  for (std::size_t d = 0; d < 4; ++d) {
    header += printed("DIMENSION_%d = %d\n", static_cast<int>(d) + 1, links.extents[d]);
  }
  const auto or_right = [](const std::string& given, double right) {
    return given.empty() ? printed("%.10g", right) : given;
  };
  header += "LINK_TRACE = " + or_right(choice.link_trace, link_trace(links)) + "\n";
  header += "PLAQUETTE = " + or_right(choice.plaquette, plaquette(links)) + "\n";
  header += "BOUNDARY_1 = PERIODIC\n";
  if (choice.checksum) header += printed("CHECKSUM =       %x\n", sum);
  header += "ENSEMBLE_LABEL = a = b\nFLOATING_POINT = " + choice.floating_point + "\nEND_HEADER\n";
  return header + data;
}

std::string milc_file(const configuration& links, bool little, std::uint32_t site_order) {
  const std::string data = in_site_order(links, 32, little);
  std::uint32_t sum29 = 0, sum31 = 0;
  std::size_t n = 0;
  for (const auto word : words_of(data, little)) {
    sum29 ^= rotated(word, n % 29);
    sum31 ^= rotated(word, n % 31);
    ++n;
  }
  std::string file;
  append_word(file, std::uint32_t{20103}, little);
  for (const int extent : links.extents) {
    append_word(file, static_cast<std::uint32_t>(extent), little);
  }
  std::string stamp = "Thu Jan  1 00:00:00 1970";
  stamp.resize(64);
  file += stamp;
  for (const std::uint32_t word : {site_order, sum29, sum31}) append_word(file, word, little);
  return file + data;
}

std::string openqcd_file(const configuration& links) {
  const auto& e = links.extents;
  std::string file;
  for (const int d : {3, 0, 1, 2}) append_word(file, static_cast<std::uint32_t>(e[at(d)]), true);
  append_real(file, 3 * plaquette(links), 64, true);
  for (int t = 0; t < e[3]; ++t)
    for (int x = 0; x < e[0]; ++x)
      for (int y = 0; y < e[1]; ++y)
        for (int z = 0; z < e[2]; ++z) {
          if ((t + x + y + z) % 2 == 0) continue;
          for (const int mu : {3, 0, 1, 2}) {
            append_link(file, links.link({x, y, z, t}, mu), 64, true);
            append_link(file, links.link(one_back({x, y, z, t}, mu), mu), 64, true);
          }
        }
  return file;
}

std::string lime_file(const std::vector<lime_part>& parts) {
  std::string file;
  for (const auto& part : parts) {
    append_word(file, std::uint32_t{0x456789ab}, false);
    append_word(file, std::uint16_t{1}, false);
    append_word(file, static_cast<std::uint16_t>(part.flags << 8), false);
    append_word(file, static_cast<std::uint64_t>(part.content.size()), false);
    std::string type = part.type;
    type.resize(128);
    file += type + part.content;
    while (file.size() % 8 != 0) file += '\0';
  }
  return file;
}

lime_part ildg_format(const lattice_site& e, int bits) {
  return {"ildg-format",
          printed("<?xml version=\"1.0\"?>\n<ildgFormat xmlns=\"http://www.lqcd.org/ildg\">"
                  "<version>1.0</version><field>su3gauge</field><precision>%d</precision>"
                  "<lx>%d</lx><ly>%d</ly><lz>%d</lz><lt>%d</lt></ildgFormat>",
                  bits, e[0], e[1], e[2], e[3])};
}

lime_part ildg_data(const configuration& links, int bits) {
  return {"ildg-binary-data", in_site_order(links, bits, false)};
}

lime_part scidac_checksum(const std::string& data, std::size_t site_bytes) {
  std::uint32_t suma = 0, sumb = 0;
  for (std::size_t n = 0; n < data.size() / site_bytes; ++n) {
    const auto crc = slow_crc32(data.data() + n * site_bytes, site_bytes);
    suma ^= rotated(crc, n % 29);
    sumb ^= rotated(crc, n % 31);
  }
  return {"scidac-checksum",
          printed("<scidacChecksum><version>1.0</version><suma>%x</suma><sumb>%x</sumb>"
                  "</scidacChecksum>",
                  suma, sumb)};
}

std::string ildg_file(const configuration& links, int bits) {
  const auto data = ildg_data(links, bits);
  return lime_file(
      {ildg_format(links.extents, bits), data, scidac_checksum(data.content, 72 * at(bits) / 8)});
}

namespace {

std::string qio_file(const lattice_site& e, const std::string& type, int bits, int type_bytes,
                     int count, int volume_format, const std::string& data) {
  const char precision = bits == 64 ? 'D' : 'F';
  const std::string file_xml = printed(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?><scidacFile><version>1.1</version>"
      "<spacetime>4</spacetime><dims>%d %d %d %d </dims><volfmt>%d</volfmt></scidacFile>",
      e[0], e[1], e[2], e[3], volume_format);
  const std::string field_xml = printed(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?><scidacRecord><version>1.1</version>"
      "<date>Thu Jan  1 00:00:00 1970 UTC</date><recordtype>0</recordtype>"
      "<datatype>QDP_%c3_%s</datatype><precision>%c</precision><colors>3</colors>"
      "<typesize>%d</typesize><datacount>%d</datacount></scidacRecord>",
      precision, type.c_str(), precision, type_bytes, count);
  auto checksum = scidac_checksum(data, at(type_bytes * count));
  checksum.flags = 0x40;
  return lime_file({{"scidac-private-file-xml", file_xml, 0x80},
                    {"scidac-file-xml", "<title>a lattice</title>", 0x40},
                    {"scidac-private-record-xml", field_xml, 0x80},
                    {"scidac-record-xml", "<usqcdInfo></usqcdInfo>", 0},
                    {"scidac-binary-data", data, 0},
                    checksum});
}

}  // namespace

std::string scidac_file(const configuration& links, int bits, int volume_format) {
  return qio_file(links.extents, "ColorMatrix", bits, 18 * bits / 8, 4, volume_format,
                  in_site_order(links, bits, false));
}

std::string propagator_file(const lattice_site& extents, int bits) {
  std::string data;
  const std::uint64_t reals = 288 * onehop::io::site_count(extents);
  for (std::uint64_t n = 0; n < reals; ++n) {
    append_real(data, static_cast<double>(n), bits, false);
  }
  return qio_file(extents, "DiracPropagator", bits, 288 * bits / 8, 1, 0, data);
}

std::vector<sample> every_kind(const lattice_site& extents, std::uint64_t seed) {
  const auto wide = random_configuration(extents, seed, 64);
  const auto narrow = random_configuration(extents, seed + 1, 32);
  std::vector<sample> all;
  const auto add = [&](sample s) {
    const std::size_t data = onehop::io::site_count(extents) * at(s.bits) * 9;
    s.data_offset = s.bytes.size() - data;
    all.push_back(std::move(s));
  };
  for (const int bits : {32, 64}) {
    const auto& links = bits == 64 ? wide : narrow;
    for (const bool little : {false, true}) {
      const std::string kind = printed("IEEE%d%s", bits, little ? "LITTLE" : "BIG");
      add({"NERSC 3x3 " + kind, "NERSC", bits, little, true, links, nersc_file(links, {kind}), 0});
      auto two_rows = links;
      for (auto& u : two_rows.links) set_third_row(u);
      add({"NERSC two-row " + kind, "NERSC", bits, little, true, two_rows,
           nersc_file(two_rows, {kind, 2}), 0});
      all.back().data_offset = all.back().bytes.find("END_HEADER") + 11;
    }
    add({printed("SciDAC %d", bits), "SciDAC", bits, false, true, links, scidac_file(links, bits),
         0});
    all.back().data_offset = all.back().bytes.find("scidac-binary-data") + 128;
    add({printed("ILDG %d", bits), "ILDG", bits, false, true, links, ildg_file(links, bits), 0});
    all.back().data_offset = 144 + 8 * ((ildg_format(extents, bits).content.size() + 7) / 8) + 144;
  }
  add({"MILC little", "MILC", 32, true, true, narrow, milc_file(narrow, true), 0});
  add({"MILC big", "MILC", 32, false, true, narrow, milc_file(narrow, false), 0});
  add({"openQCD", "openQCD", 64, true, false, wide, openqcd_file(wide), 0});
  return all;
}

configuration read_all(onehop::io::gauge_reader& reader) {
  configuration links(reader.layout().extents);
  reader.read({{}, links.extents}, [&](const lattice_site& site, int mu, const link_matrix& u) {
    links.link(site, mu) = u;
  });
  return links;
}

configuration read_verified(const std::string& path) {
  auto reader = onehop::io::gauge_reader::open(path);
  auto links = read_all(reader);
  reader.verify(reader.partial());
  return links;
}

}  // namespace samples
