#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <echo/echo.hpp>

#include <string>
#include <utility>
#include <vector>

#include "bind_apps.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

std::pair<std::vector<double>, std::uint64_t> run_echo(const onehop::context& job,
                                                       const std::string& variant,
                                                       std::size_t words, std::size_t answer,
                                                       int unmeasured, int rounds) {
  std::pair<std::vector<double>, std::uint64_t> found{{}, 0};
  for (const echo::round_report& one :
       echo::run(job, {echo::variant_named(variant), words, answer}, unmeasured, rounds)) {
    found.first.push_back(one.time_us);
    found.second += one.wrong;
  }
  return found;
}

}  // namespace

void bind_echo(nb::module_& m) {
  m.def("run_echo", &run_echo, "context"_a, "variant"_a, "words"_a, "answer"_a, "unmeasured"_a,
        "rounds"_a, release_gil(),
        "Sends words of 8 bytes from rank 0 to rank 1 and back; returns the times of the rounds in "
        "us, at rank 0, and how many words were wrong. Collective.");
}
