// This file prints messages, for the library and for the program.

#include <cstdarg>
#include <cstdio>

#include "qmp/process.hpp"

namespace onehop::qmp {
namespace {

int say(FILE* to, const char* format, std::va_list values) {
  std::fprintf(to, "node %d: ", process().world.rank);
  const int written = std::vfprintf(to, format, values);
  std::fflush(to);
  return written;
}

}  // namespace
}  // namespace onehop::qmp

using namespace onehop::qmp;

/// Prints the arguments after `format`, formatted by it, and returns from the function.
#define ONEHOP_SAY(to)                         \
  std::va_list values;                         \
  va_start(values, format);                    \
  const int written = say(to, format, values); \
  va_end(values);                              \
  return written

extern "C" {

const char* QMP_error_string(QMP_status_t code) {
  switch (code) {
    case QMP_SUCCESS:
      return "no error";
    case QMP_NOT_INITED:
      return "QMP is not initialized";
    case QMP_NOMEM_ERR:
      return "there is no memory left";
    case QMP_NOTSUPPORTED:
      return "the function does nothing here";
    case QMP_INVALID_ARG:
      return "an argument is wrong";
    case QMP_INVALID_TOPOLOGY:
      return "no grid of the nodes divides the lattice evenly";
    case QMP_TOPOLOGY_EXISTS:
      return "another grid has been declared";
    case QMP_NODE_OUTRANGE:
      return "there is no such node";
    case QMP_INVALID_OP:
      return "the operation is unknown";
    case QMP_TIMEOUT:
      return "a wait has reached its deadline";
    default:
      return "error";
  }
}

QMP_status_t QMP_get_error_number(QMP_msghandle_t) { return QMP_SUCCESS; }
const char* QMP_get_error_string(QMP_msghandle_t) { return QMP_error_string(QMP_SUCCESS); }

int QMP_verbose(int level) {
  const int before = process().verbosity;
  process().verbosity = level;
  return before;
}

int QMP_printf(const char* format, ...) { ONEHOP_SAY(stdout); }

int QMP_fprintf(FILE* stream, const char* format, ...) { ONEHOP_SAY(stream); }

int QMP_info(const char* format, ...) {
  if (process().verbosity <= 0) return 0;
  ONEHOP_SAY(stderr);
}

int QMP_error(const char* format, ...) { ONEHOP_SAY(stderr); }

const char* QMP_version_str(void) { return "2.5.4"; }
int QMP_version_int(void) { return 20504; }
}
