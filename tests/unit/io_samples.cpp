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

lime_part scidac_checksum(const std::string& data, std::size_t site_bytes,
                          std::uint64_t first_site) {
  std::uint32_t suma = 0, sumb = 0;
  for (std::size_t n = 0; n < data.size() / site_bytes; ++n) {
    const auto crc = slow_crc32(data.data() + n * site_bytes, site_bytes);
    suma ^= rotated(crc, (first_site + n) % 29);
    sumb ^= rotated(crc, (first_site + n) % 31);
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

struct qio_field {
  std::string type;  // The first letter after the underscore is that of the precision.
  int bits, colours, type_bytes, count;
  std::string xml, data;
  int only_time = -1;  // The field is on this time slice alone, where it is not -1.
};

void append_field(std::vector<lime_part>& parts, const lattice_site& e, const qio_field& field) {
  const bool some = field.only_time >= 0;
  const std::string slices =
      some ? printed(
                 "<recordtype>2</recordtype><spacetime>4</spacetime><hyperlower>0 0 0 %d "
                 "</hyperlower><hyperupper>%d %d %d %d </hyperupper>",
                 field.only_time, e[0] - 1, e[1] - 1, e[2] - 1, field.only_time)
           : "<recordtype>0</recordtype>";
  const std::string colours =
      field.colours == 0 ? "" : printed("<colors>%d</colors>", field.colours);
  const std::string xml = printed(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?><scidacRecord><version>1.1</version>"
      "<date>Thu Jan  1 00:00:00 1970 UTC</date>%s"
      "<datatype>%s</datatype><precision>%c</precision>%s"
      "<typesize>%d</typesize><datacount>%d</datacount></scidacRecord>",
      slices.c_str(), field.type.c_str(), field.bits == 64 ? 'D' : 'F', colours.c_str(),
      field.type_bytes, field.count);
  const auto sites_of_slice = onehop::io::site_count({e[0], e[1], e[2], 1});
  auto checksum =
      scidac_checksum(field.data, at(field.type_bytes * field.count),
                      some ? static_cast<std::uint64_t>(field.only_time) * sites_of_slice : 0);
  checksum.flags = 0x40;
  parts.push_back({"scidac-private-record-xml", xml, 0x80});
  parts.push_back({"scidac-record-xml", field.xml, 0});
  parts.push_back({"scidac-binary-data", field.data, 0});
  parts.push_back(checksum);
}

std::string qio_file(const lattice_site& e, int volume_format, const std::string& xml,
                     const std::vector<qio_field>& fields) {
  const std::string file_xml = printed(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?><scidacFile><version>1.1</version>"
      "<spacetime>4</spacetime><dims>%d %d %d %d </dims><volfmt>%d</volfmt></scidacFile>",
      e[0], e[1], e[2], e[3], volume_format);
  std::vector<lime_part> parts{{"scidac-private-file-xml", file_xml, 0x80},
                               {"scidac-file-xml", xml, 0x40}};
  for (const auto& field : fields) append_field(parts, e, field);
  return lime_file(parts);
}

std::string counted(std::uint64_t reals, double first, int bits) {
  std::string data;
  for (std::uint64_t n = 0; n < reals; ++n) {
    append_real(data, first + static_cast<double>(n), bits, false);
  }
  return data;
}

qio_field colour_vector(const lattice_site& extents, int bits, int number, const std::string& xml) {
  const char precision = bits == 64 ? 'D' : 'F';
  return {printed("USQCD_%c3_ColorVector", precision),
          bits,
          3,
          6 * bits / 8,
          1,
          xml,
          counted(6 * onehop::io::site_count(extents), 1000.0 * number, bits)};
}

}  // namespace

std::string scidac_file(const configuration& links, int bits, int volume_format) {
  const std::string type = printed("QDP_%c3_ColorMatrix", bits == 64 ? 'D' : 'F');
  return qio_file(links.extents, volume_format, "<title>a lattice</title>",
                  {{type, bits, 3, 18 * bits / 8, 4, "<usqcdInfo></usqcdInfo>",
                    in_site_order(links, bits, false)}});
}

std::string propagator_file(const lattice_site& extents, int bits) {
  const std::string type = printed("QDP_%c3_DiracPropagator", bits == 64 ? 'D' : 'F');
  return qio_file(extents, 0, "<title>a propagator</title>",
                  {{type, bits, 3, 288 * bits / 8, 1, "<usqcdInfo></usqcdInfo>",
                    counted(288 * onehop::io::site_count(extents), 0, bits)}});
}

std::string staggered_file(const lattice_site& extents, int bits) {
  const char precision = bits == 64 ? 'D' : 'F';
  const auto sites_of_slice = onehop::io::site_count({extents[0], extents[1], extents[2], 1});
  std::vector<qio_field> fields{
      {printed("QLA_%c_Complex", precision), bits, 0, 2 * bits / 8, 1,
       "<usqcdSourceInfo><version>1.0</version><info>point</info></usqcdSourceInfo>",
       counted(2 * sites_of_slice, 0, bits), 1}};
  for (int colour = 0; colour < 3; ++colour) {
    fields.push_back(colour_vector(
        extents, bits, colour + 1,
        printed("<usqcdInfo><version>1.0</version><color>%d</color><info></info></usqcdInfo>",
                colour)));
  }
  return qio_file(extents, 0,
                  "<usqcdKSPropFile><version>1.0</version>"
                  "<type>USQCD_ColorVector_ScalarSource_ThreeSink</type><info></info>"
                  "</usqcdKSPropFile>",
                  fields);
}

std::string eigenvector_file(const lattice_site& extents, int bits, int count) {
  std::vector<qio_field> fields;
  for (int n = 0; n < count; ++n) {
    fields.push_back(colour_vector(
        extents, bits, n,
        printed("<info><eigVal>%.18e</eigVal><resid>1e-9</resid></info>", 0.25 * (n + 1))));
  }
  return qio_file(
      extents, 0,
      printed("<info><title>KS eigenvalues and vectors</title><Nvecs>%d</Nvecs></info>", count),
      fields);
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
