#include "bind.hpp"

#include <onehop/error.hpp>

namespace nb = nanobind;

namespace {

// Registered from the base down: the translators are tried in the opposite order.
void bind_errors(nb::module_& m) {
  const nb::exception<onehop::error> base(m, "Error", PyExc_RuntimeError);
  const nb::exception<onehop::usage_error> usage(m, "UsageError", base);
  const nb::exception<onehop::file_error> file(m, "FileError", base);
  nb::exception<onehop::checksum_error>(m, "ChecksumError", file);
  nb::exception<onehop::chain_error>(m, "ChainError", usage);
  nb::exception<onehop::peer_error>(m, "PeerError", base);
  nb::exception<onehop::timeout_error>(m, "TimeoutError", base);
  nb::exception<onehop::resource_error>(m, "ResourceError", base);
  nb::exception<onehop::numeric_error>(m, "NumericError", base);
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "The C++ library as it is; the package onehop wraps it.";
  m.attr("__version__") = ONEHOP_VERSION;
  bind_errors(m);
  bind_rma(m);
  bind_machine(m);
  bind_gauge(m);
  bind_solver(m);
}
