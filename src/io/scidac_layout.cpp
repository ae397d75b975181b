#include "base/text.hpp"
#include "io/gauge_format.hpp"
#include "io/gauge_layout.hpp"
#include "io/lime_text.hpp"
#include "io/scidac_field.hpp"

namespace onehop::io {
namespace {

constexpr int link_numbers = 9;
constexpr int links_of_a_site = 4;

}  // namespace

bool is_scidac(const input_file& file, std::string_view first_bytes) {
  return has_scidac_field(file, first_bytes);
}

gauge_layout read_scidac_layout(const input_file& file) {
  auto contents = read_scidac_contents(file);
  const scidac_field& field = contents.fields.front();
  if (contents.fields.size() > 1 || field.object_numbers != link_numbers ||
      field.objects != links_of_a_site || field.colours != 3 || !field.is_on_all_slices()) {
    file.fail(text("is a SciDAC file of ", contents.fields.size(), " fields, the first with ",
                   field.objects, " of ", field.datatype,
                   " at each site, and not a gauge configuration (4 colour matrices)"));
  }
  gauge_layout layout;
  layout.format = "SciDAC";
  layout.extents = field.extents;
  layout.reals.bits = field.bits;
  layout.data_offset = field.data_offset;
  layout.stated_checksum = field.checksum;
  layout.warnings = std::move(contents.warnings);
  return layout;
}

gauge_frame scidac_frame(const gauge_layout& layout) {
  scidac_field field;
  field.extents = layout.extents;
  field.last_time = layout.extents[3] - 1;
  field.bits = layout.reals.bits;
  field.datatype = field.bits == 64 ? "QDP_D3_ColorMatrix" : "QDP_F3_ColorMatrix";
  field.object_numbers = link_numbers;
  field.objects = links_of_a_site;
  field.xml = text("<info>", gauge_format_named("SciDAC").conventions, "</info>");
  return {scidac_file_head(field.extents, "<title>written by onehop</title>") +
              scidac_field_head(field),
          scidac_checksum_text(layout.stated_checksum)};
}

}  // namespace onehop::io
