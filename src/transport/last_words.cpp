#include "transport/last_words.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <onehop/error.hpp>
#include <string>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "base/words.hpp"

namespace onehop {
namespace {

/// The launcher reads a message of up to this length at once, because a pipe takes it whole.
constexpr std::size_t most_bytes = 3000;

std::terminate_handler usual = nullptr;
int report_to = -1;
int this_rank = 0;

bool tell(const char* kind, const error& what) {
  const std::string line = text("{\"rank\": ", this_rank, ", \"class\": \"", kind,
                                "\", \"message\": ", quoted(what.what(), most_bytes), "}\n");
  return write(report_to, line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

bool tell_of_uncaught() {
  const std::exception_ptr thrown = std::current_exception();
  if (!thrown) return false;
  try {
    std::rethrow_exception(thrown);
  } catch (const peer_error& what) {
    return tell("PeerError", what);
  } catch (const timeout_error& what) {
    return tell("TimeoutError", what);
  } catch (const error& what) {
    return tell("Error", what);
  } catch (...) {
    return false;
  }
}

[[noreturn]] void end_rank() {
  if (tell_of_uncaught()) {
    // The program's earlier output belongs to its user, so it is written out first.
    std::cout.flush();
    std::fflush(nullptr);
    _exit(2);
  }
  usual();
  std::abort();
}

}  // namespace

void report_uncaught_errors() {
  const environment variables = environment::read();
  if (!variables.report_fd || usual != nullptr) return;
  report_to = *variables.report_fd;
  this_rank = variables.rank.value_or(0);
  usual = std::set_terminate(end_rank);
}

}  // namespace onehop
