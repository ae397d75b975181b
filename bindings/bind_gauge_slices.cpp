#include "bind.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <onehop/gauge_slices.hpp>
#include <onehop/scidac_slices.hpp>

#include "span_caster.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace nanobind::detail {

// The axes are z, y, x, mu, row, column.
using links_shape = shape<-1, -1, -1, 4, 3, 3>;
template <>
struct type_caster<std::span<onehop::colour_matrix>>
    : span_caster<onehop::colour_matrix,
                  ndarray<std::complex<double>, links_shape, c_contig, device::cpu>> {};
template <>
struct type_caster<std::span<const onehop::colour_matrix>>
    : span_caster<const onehop::colour_matrix,
                  ndarray<const std::complex<double>, links_shape, c_contig, device::cpu>> {};

}  // namespace nanobind::detail

namespace {

void bind_formats(nb::module_& m) {
  using info = onehop::gauge_format_info;
  nb::class_<info>(m, "GaugeFormat",
                   "Description of a format, for choosing one before a file is written.")
      .def_ro("name", &info::name)
      .def_ro("suffixes", &info::suffixes)
      .def_ro("conventions", &info::conventions, "Conventions of the numbers, as text.")
      .def_ro("precisions", &info::precisions, "Precisions in bits.")
      .def_ro("has_two_rows", &info::has_two_rows)
      .def_ro("has_checksum", &info::has_checksum);
  m.def("gauge_formats", &onehop::gauge_formats);
}

void bind_check(nb::module_& m) {
  using onehop::gauge_slice_check, onehop::gauge_summary;
  nb::class_<gauge_summary>(m, "GaugeSummary", "Description of a configuration as a whole.")
      .def_ro("plaquette", &gauge_summary::plaquette)
      .def_ro("link_trace", &gauge_summary::link_trace)
      .def_ro("unitarity_deviation", &gauge_summary::unitarity_deviation)
      .def_ro("su3_deviation", &gauge_summary::su3_deviation)
      .def_ro("furthest", &gauge_summary::furthest, "The link with su3_deviation.");
  nb::class_<gauge_slice_check>(m, "GaugeSliceCheck",
                                "Computes the summary of a configuration from its slices.")
      .def(nb::init<const onehop::coordinate&>(), "lattice"_a)
      .def("add", &gauge_slice_check::add, "slice"_a, release_gil())
      .def("finish", &gauge_slice_check::finish, release_gil());
  m.def("check_summary", &onehop::check_summary, "found"_a, "path"_a, "precision_bits"_a,
        "allow_non_unitary"_a = false);
}

void bind_slice_files(nb::module_& m) {
  using onehop::gauge_slice_reader, onehop::gauge_slice_writer;
  nb::class_<gauge_slice_reader>(m, "GaugeSliceReader",
                                 "Reads a configuration file, slice by slice.")
      .def(nb::init<const std::string&>(), "path"_a)
      .def_prop_ro("info", &gauge_slice_reader::info)
      .def_prop_ro("warnings", &gauge_slice_reader::warnings)
      .def_prop_ro("checksum", &gauge_slice_reader::checksum)
      .def("read", &gauge_slice_reader::read, "t"_a, "slice"_a, release_gil())
      .def("verify_checksum", &gauge_slice_reader::verify_checksum)
      .def("verify_means", &gauge_slice_reader::verify_means, "found"_a);
  nb::class_<gauge_slice_writer>(m, "GaugeSliceWriter",
                                 "Writes a new configuration file, slice by slice.")
      .def(nb::init<const std::string&, const std::string&, const onehop::coordinate&, int, int>(),
           "path"_a, "format"_a, "lattice"_a, "precision_bits"_a = 0, "rows"_a = 0)
      .def("write", &gauge_slice_writer::write, "slice"_a, release_gil())
      .def_prop_ro("checksum", &gauge_slice_writer::checksum)
      .def("finish", &gauge_slice_writer::finish, "plaquette"_a, "link_trace"_a, release_gil())
      .def("discard", &gauge_slice_writer::discard);
}

// Text of other programs need not be UTF-8.
nb::bytes bytes_of(const std::string& words) { return nb::bytes(words.data(), words.size()); }

void bind_scidac_field(nb::module_& m) {
  using info = onehop::scidac_field_info;
  nb::class_<info>(m, "ScidacFieldInfo", "What a SciDAC file says about a field.")
      .def(
          "__init__",
          [](info* self, const std::array<int, 4>& lattice, const std::string& datatype,
             int objects, int count, int colours, int spins, int precision_bits, int first_time,
             int last_time, const std::string& xml) {
            new (self) info{lattice,        datatype, objects,    count,     colours, spins,
                            precision_bits, true,     first_time, last_time, xml};
          },
          nb::kw_only(), "lattice"_a, "datatype"_a, "objects"_a, "numbers"_a, "colours"_a,
          "spins"_a, "precision_bits"_a, "first_time"_a, "last_time"_a, "xml"_a)
      .def_ro("lattice", &info::lattice)
      .def_ro("datatype", &info::datatype)
      .def_ro("objects", &info::objects, "Number of objects of that type per site.")
      .def_ro("numbers", &info::numbers, "Number of complex numbers per site.")
      .def_ro("colours", &info::colours)
      .def_ro("spins", &info::spins)
      .def_ro("precision_bits", &info::precision_bits)
      .def_ro("has_checksum", &info::has_checksum)
      .def_ro("first_time", &info::first_time, "First time slice on which the field has numbers.")
      .def_ro("last_time", &info::last_time)
      .def_prop_ro(
          "xml", [](const info& self) { return bytes_of(self.xml); },
          "Text that the writing program stored for the field.");
}

void bind_scidac(nb::module_& m) {
  using onehop::scidac_field_info, onehop::scidac_slice_reader, onehop::scidac_slice_writer;
  m.def("is_scidac_file", &onehop::is_scidac_file, "path"_a);
  bind_scidac_field(m);
  nb::class_<scidac_slice_reader>(m, "ScidacSliceReader",
                                  "Reads the fields of a SciDAC file, slice by slice.")
      .def(nb::init<const std::string&>(), "path"_a)
      .def_prop_ro("fields", &scidac_slice_reader::fields)
      .def_prop_ro("xml", [](const scidac_slice_reader& self) { return bytes_of(self.xml()); })
      .def_prop_ro("warnings", &scidac_slice_reader::warnings)
      .def_prop_ro("checksum", &scidac_slice_reader::checksum)
      .def("read", &scidac_slice_reader::read, "field"_a, "t"_a, "slice"_a, release_gil(),
           "Fills `slice`, of any shape, whose memory has the size of a slice.")
      .def("verify_checksum", &scidac_slice_reader::verify_checksum);
  nb::class_<scidac_slice_writer>(m, "ScidacSliceWriter",
                                  "Writes a new SciDAC file of some fields, slice by slice.")
      .def(
          nb::init<const std::string&, const std::vector<scidac_field_info>&, const std::string&>(),
          "path"_a, "fields"_a, "xml"_a)
      .def("write", &scidac_slice_writer::write, "field"_a, "slice"_a, release_gil(),
           "Writes `slice`, of any shape, whose memory has the size of a slice.")
      .def_prop_ro("checksum", &scidac_slice_writer::checksum)
      .def("finish", &scidac_slice_writer::finish, release_gil())
      .def("discard", &scidac_slice_writer::discard);
}

}  // namespace

void bind_gauge_slices(nb::module_& m) {
  bind_formats(m);
  bind_check(m);
  bind_slice_files(m);
  bind_scidac(m);
}
