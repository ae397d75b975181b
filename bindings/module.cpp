#include "bind.hpp"

#include <onehop/error.hpp>

#include <cstring>
#include <exception>

namespace nb = nanobind;

namespace {

// A message may quote bytes of a file or a name, which need not be UTF-8.
void raise(PyObject* type, const char* message) {
  const auto size = static_cast<Py_ssize_t>(std::strlen(message));
  const auto text = nb::steal(PyUnicode_DecodeUTF8(message, size, "backslashreplace"));
  PyErr_SetObject(type, text.ptr());
}

template <class Error>
nb::object bind_error(nb::module_& m, const char* name, nb::handle base, const char* about) {
  nb::object type = nb::exception<Error>(m, name, base);
  type.attr("__doc__") = about;
  // This translator is tried before the type's own, which accepts only UTF-8.
  nb::register_exception_translator(
      [](const std::exception_ptr& thrown, void* type_of_error) {
        try {
          std::rethrow_exception(thrown);
        } catch (const Error& error) {
          raise(static_cast<PyObject*>(type_of_error), error.what());
        }
      },
      type.ptr());
  return type;
}

// Errors are registered from the base class down, because the translators are tried in the opposite
// order.
void bind_errors(nb::module_& m) {
  const nb::object base = bind_error<onehop::error>(
      m, "Error", PyExc_RuntimeError,
      "The base class of everything that onehop raises. Every message says what is wrong, where, "
      "with which values, and what to do about it.");
  // Python's own functions raise these for the same mistakes, so callers need not know onehop's
  // classes.
  const nb::tuple bad_value = nb::make_tuple(base, nb::handle(PyExc_ValueError));
  const nb::tuple bad_file = nb::make_tuple(base, nb::handle(PyExc_OSError));
  const nb::object usage = bind_error<onehop::usage_error>(
      m, "UsageError", bad_value,
      "The caller asked for something that makes no sense, such as a grid that does not divide the "
      "lattice, an unknown name, or a call out of order.");
  const nb::object file =
      bind_error<onehop::file_error>(m, "FileError", bad_file,
                                     "A file is missing, cannot be read or written, is truncated, "
                                     "or does not hold what its header says.");
  bind_error<onehop::checksum_error>(
      m, "ChecksumError", file,
      "The bytes of a file do not give the checksum that its header or trailer states.");
  bind_error<onehop::chain_error>(
      m, "ChainError", usage,
      "The ranks disagree about a put chain; the message names both sides.");
  bind_error<onehop::peer_error>(m, "PeerError", base, "Another rank failed or died.");
  bind_error<onehop::timeout_error>(
      m, "TimeoutError", base,
      "A wait reached its deadline. The message says which rank waits for which.");
  bind_error<onehop::resource_error>(m, "ResourceError", base,
                                     "The machine lacks something, such as shared memory, address "
                                     "space or a free file descriptor.");
  bind_error<onehop::numeric_error>(m, "NumericError", base,
                                    "Numbers are wrong, for example because a link is not a number "
                                    "or because the iterated and the true residual disagree.");
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "The C++ library as it is; the package onehop wraps it.";
  m.attr("__version__") = ONEHOP_VERSION;
  // Objects that a user's modules still hold when Python ends are not leaks of onehop, so they are
  // not reported.
  nb::set_leak_warnings(false);
  bind_errors(m);
  bind_rma(m);
  bind_collectives(m);
  bind_stream(m);
  bind_halo(m);
  bind_machine(m);
  bind_gauge(m);
  bind_gauge_slices(m);
  bind_smearing(m);
  bind_device(m);
  bind_dlpack(m);
  bind_options(m);
  bind_tuning(m);
  bind_solver(m);
  bind_measure(m);
  bind_netsim(m);
  bind_accounts(m);
  bind_workload(m);
  bind_traffic(m);
  bind_virtual(m);
}
