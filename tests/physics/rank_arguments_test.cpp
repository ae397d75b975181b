/// Ranks that pass different arguments must be told, both by name, before anything is computed or
/// written.

#include <onehop/error.hpp>
#include <onehop/gauge_field.hpp>
#include <onehop/gauge_fixing.hpp>
#include <onehop/propagator.hpp>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <functional>
#include <ostream>

#include "base/text.hpp"
#include "support/ranks.hpp"

using namespace onehop;
using test::contains;
using test::expect;
using test::message_of;

namespace {

constexpr const char* written = "arguments_of_ranks.gauge";

struct case_of_ranks {
  const char *first, *second;  ///< what the message says of ranks 0 and 1
  std::function<void(gauge_field&, int rank)> call;
};
std::ostream& operator<<(std::ostream& out, const case_of_ranks& one) { return out << one.second; }

void make_solver(gauge_field& links, const solve_options& options) {
  propagator_solver(links, options);
}
solve_options options_of(double csw = 1, double tolerance = 1e-8) {
  solve_options options;
  options.dirac = clover{.mass = 0.5, .csw = csw};
  options.tolerance = tolerance;
  return options;
}

const std::vector<case_of_ranks> cases = {
    {"heatbath with beta 6", "beta 6.0000000000001",
     [](gauge_field& links, int rank) { heatbath_sweep(links, {.beta = 6 + rank * 1e-13}, 0); }},
    {"heatbath with seed 1", "seed 2",
     [](gauge_field& links, int rank) {
       heatbath_sweep(links, {.seed = static_cast<std::uint64_t>(1 + rank)}, 0);
     }},
    {"heatbath with sweep 3", "sweep 4",
     [](gauge_field& links, int rank) { heatbath_sweep(links, {}, 3 + rank); }},
    {"gauge fixing with condition landau", "condition coulomb",
     [](gauge_field& links, int rank) {
       fix_gauge(links, {rank == 0 ? gauge_condition::landau : gauge_condition::coulomb});
     }},
    {"write with format nersc", "format ildg",
     [](gauge_field& links, int rank) {
       write_gauge_file(links, written, rank == 0 ? "nersc" : "ildg");
     }},
    {"a solver with operator clover mass 0.5 csw 1 mu 0", "operator clover mass 0.5 csw 1.5 mu 0",
     [](gauge_field& links, int rank) { make_solver(links, options_of(1 + 0.5 * rank)); }},
    {"a solver with tol 1e-08", "tol 1e-09",
     [](gauge_field& links, int rank) {
       make_solver(links, options_of(1, rank == 0 ? 1e-8 : 1e-9));
     }},
    {"a point propagator with source point:0,0,0,0", "source point:0,0,0,1",
     [](gauge_field& links, int rank) {
       propagator_solver solver(links, options_of());
       solve_point_propagator(solver, {0, 0, 0, rank});
     }},
};

}  // namespace

BOOST_DATA_TEST_CASE(ranks_that_pass_different_arguments_are_told_both,
                     boost::unit_test::data::make(cases), one) {
  const auto ends = test::run_in_processes(2, [&](context ctx) {
    const geometry block(ctx, {4, 4, 4, 4}, {1, 1, 1, 2});
    gauge_field links(block);
    set_cold(links);
    const std::string said = message_of<usage_error>([&] { one.call(links, ctx.rank()); });
    expect(contains(said, text(one.first, " on rank 0 and ", one.second,
                               " on rank 1: give the same on all")),
           said);
  });
  for (const test::rank_end& end : ends) BOOST_TEST(end.good(), end.message);
  BOOST_TEST(!std::filesystem::exists(written));
}
