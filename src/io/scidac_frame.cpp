#include "io/lime_text.hpp"
#include "io/scidac_field.hpp"

namespace onehop::io {
namespace {

constexpr std::string_view xml_start = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";

std::string file_xml(const lattice_site& extents) {
  return text(xml_start, "<scidacFile><version>1.1</version><spacetime>4</spacetime><dims>",
              extents[0], ' ', extents[1], ' ', extents[2], ' ', extents[3],
              " </dims><volfmt>0</volfmt></scidacFile>");
}

std::string slices_xml(const scidac_field& field) {
  if (field.is_on_all_slices()) return "<recordtype>0</recordtype>";
  return text("<recordtype>2</recordtype><spacetime>4</spacetime><hyperlower>0 0 0 ",
              field.first_time, " </hyperlower><hyperupper>", field.extents[0] - 1, ' ',
              field.extents[1] - 1, ' ', field.extents[2] - 1, ' ', field.last_time,
              " </hyperupper>");
}

std::string field_xml(const scidac_field& field) {
  const auto unless_none = [](const char* name, int number) {
    return number == 0 ? "" : text('<', name, '>', number, "</", name, '>');
  };
  return text(xml_start, "<scidacRecord><version>1.1</version><date></date>", slices_xml(field),
              "<datatype>", field.datatype, "</datatype><precision>", field.bits == 64 ? 'D' : 'F',
              "</precision>", unless_none("colors", field.colours),
              unless_none("spins", field.spins), "<typesize>",
              field.object_numbers * 2 * field.bits / 8, "</typesize><datacount>", field.objects,
              "</datacount></scidacRecord>");
}

}  // namespace

std::string scidac_file_head(const lattice_site& extents, std::string_view xml) {
  return lime_record_text("scidac-private-file-xml", file_xml(extents), lime_message::begins) +
         lime_record_text("scidac-file-xml", text(xml_start, xml), lime_message::ends);
}

std::string scidac_field_head(const scidac_field& field) {
  return lime_record_text("scidac-private-record-xml", field_xml(field), lime_message::begins) +
         lime_record_text("scidac-record-xml", text(xml_start, field.xml),
                          lime_message::continues) +
         lime_header("scidac-binary-data", field.sites() * field.site_bytes(),
                     lime_message::continues);
}

}  // namespace onehop::io
