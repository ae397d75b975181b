#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "bind.hpp"
#include "measure/pinning.hpp"
#include "measure/statistics.hpp"
#include "measure/surroundings.hpp"
#include "transport/stores/channel.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

void bind_channels(nb::module_& m) {
  using onehop::stores::channel_table;
  m.def("channel_names", [] {
    std::vector<std::string> names;
    for (const auto each : onehop::stores::every_channel)
      names.emplace_back(onehop::stores::name(each));
    return names;
  });
  m.def(
      "check_channels", [](const std::string& words) { channel_table::parse(words); }, "words"_a,
      "Raises UsageError unless these words are valid for ONEHOP_CHANNELS.");
}

void bind_statistics(nb::module_& m) {
  using onehop::measure::comparison;
  using onehop::measure::summary;
  nb::class_<summary>(m, "Summary", "Robust statistics of a list of samples.")
      .def_ro("count", &summary::count)
      .def_ro("median", &summary::median)
      .def_ro("least", &summary::least)
      .def_ro("most", &summary::most)
      .def_ro("spread", &summary::spread);
  nb::class_<comparison>(m, "Comparison", "Median of the ratio of pairs, with its 95% interval.")
      .def_ro("ratio", &comparison::ratio)
      .def_prop_ro("low", [](const comparison& c) { return c.range.low; })
      .def_prop_ro("high", [](const comparison& c) { return c.range.high; })
      .def_prop_ro("verdict", [](const comparison& c) { return std::string(name(c.result)); });
  m.def(
      "summarize",
      [](const std::vector<double>& samples) {
        if (samples.empty()) throw onehop::usage_error("a summary of no values: give at least one");
        return onehop::measure::summarize(samples);
      },
      "samples"_a);
  m.def(
      "compare_pairs",
      [](const std::vector<double>& ours, const std::vector<double>& theirs, double tolerance) {
        if (ours.empty() || ours.size() != theirs.size()) {
          throw onehop::usage_error(onehop::text("pairs of ", ours.size(), " and ", theirs.size(),
                                                 " values: give as many of each, at least one"));
        }
        return onehop::measure::compare_pairs(ours, theirs, tolerance);
      },
      "ours"_a, "theirs"_a, "tolerance"_a);
  m.def(
      "verdict_on",
      [](double low, double high, double tolerance) {
        return std::string(name(onehop::measure::verdict_on({low, high}, tolerance)));
      },
      "low"_a, "high"_a, "tolerance"_a,
      "Returns SAME, FAST, SLOW or AMBIGUOUS according to the interval of the ratio.");
}

}  // namespace

void bind_measure(nb::module_& m) {
  bind_channels(m);
  bind_statistics(m);
  m.def("allowed_cores", &onehop::measure::allowed_cores);
  m.def("pin_to_core", &onehop::measure::pin_to_core, "core"_a);
  m.def(
      "machine_warnings",
      [](int ranks, bool pinned) {
        return onehop::measure::warnings(onehop::measure::inspect_surroundings(ranks, pinned));
      },
      "ranks"_a, "pinned"_a, "Returns what around a measurement may disturb it, as text.");
}
