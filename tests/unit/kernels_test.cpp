#include "dirac/kernels.hpp"

#include "dirac/hopping.hpp"

#include <onehop/error.hpp>
#include <onehop/propagator.hpp>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <tuple>

#include "support/difference.hpp"

using namespace onehop;
using tests::largest_difference;

namespace {

using field = std::vector<std::complex<double>>;

/// Returns H psi for both parities with the kernels of one instruction set, precision and lane
/// count.
field hopped(const gauge_field& links, dslash kind, const kernel_table& kernels, const field& psi,
             int reals = 18) {
  const lane_layout layout(links.geometry(), kernels.lanes, reach(kind));
  thread_team team(1);
  hopping hop(layout, hop_links(links, operator_of(kind)),
              {.kind = kind, .overlap = overlap::none, .recon = reals}, kernels, team);
  field result(psi.size());
  for (int parity = 0; parity < 2; ++parity) {
    lane_field in(layout, 1 - parity, components(kind), kernels.kind);
    lane_field out(layout, parity, components(kind), kernels.kind);
    spread(layout, psi, in);
    hop.apply(out, in, {.hop_scale = 0.7}, true);
    collect(layout, out, result);
  }
  return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_lane_count_gives_the_same_bits) {
  run_on_threads(1, [](context ctx) {
    const geometry g(ctx, {8, 8, 8, 8});
    gauge_field links(g);
    set_hot(links, 2);
    links.exchange_ghosts();
    for (const dslash kind : {dslash::wilson, dslash::staggered, dslash::asqtad}) {
      field psi(g.volume() * components(kind));
      random_source(g, 1, components(kind), psi);
      const field exact =
          hopped(links, kind, *choose_instruction_set().kernels(field_precision::double_, 1), psi);
      const double tolerances[] = {1e-13, 2e-5, 3e-3};
      for (const field_precision format :
           {field_precision::double_, field_precision::single, field_precision::half}) {
        for (const int reals : {18, 12, 8}) {
          if (is_improved(kind) && reals < 18) continue;
          for (const instruction_set& set : built_instruction_sets()) {
            if (!set.supported()) continue;
            const field expected = hopped(links, kind, *set.kernels(format, 1), psi, reals);
            // Instruction sets may fuse multiplication and addition or not.
            BOOST_TEST(largest_difference(exact, expected) < tolerances[static_cast<int>(format)]);
            for (int lanes = 2; lanes <= set.widest_lanes(format); lanes *= 2) {
              if (set.kernels(format, lanes) == nullptr) continue;
              BOOST_TEST_CONTEXT(set.name << " x" << lanes << ", " << reals << " reals, storage "
                                          << static_cast<int>(format))
              BOOST_TEST(
                  (hopped(links, kind, *set.kernels(format, lanes), psi, reals) == expected));
            }
          }
        }
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(right_hand_sides_at_once_are_those_one_by_one) {
  run_on_threads(2, [](context ctx) {
    constexpr int rhs = 3;
    const geometry g(ctx, {4, 4, 8, 8}, {1, 1, 1, 2});
    gauge_field links(g);
    set_hot(links, 2);
    links.exchange_ghosts();
    thread_team team(2);
    const instruction_set& set = choose_instruction_set();
    std::vector<std::tuple<field_precision, int, int>> cases;
    for (const field_precision format :
         {field_precision::double_, field_precision::single, field_precision::half}) {
      for (const int reals : {18, 12, 8}) {
        const int widest = set.widest_lanes(format);
        for (const int lanes : {std::min(4, widest), widest}) {
          cases.emplace_back(format, lanes, reals);
        }
      }
    }
    for (const auto& [format, lanes, reals] : cases) {
      const kernel_table& kernels = *set.kernels(format, lanes);
      const lane_layout layout(g, kernels.lanes);
      hopping one(layout, links, {.recon = reals}, kernels, team);
      hopping many(layout, links, {.recon = reals, .rhs = rhs}, kernels, team);
      lane_field ins(layout, 0, 12, format, rhs), outs(layout, 1, 12, format, rhs);
      std::vector<field> expected;
      for (int r = 0; r < rhs; ++r) {
        field psi(g.local_volume() * 12);
        random_source(g, static_cast<std::uint64_t>(r), 12, psi);
        lane_field in(layout, 0, 12, format), out(layout, 1, 12, format);
        spread(layout, psi, in);
        spread(layout, psi, ins, r);
        one.apply(out, in, {});
        collect(layout, out, psi);
        expected.push_back(psi);
      }
      many.apply(outs, ins, {});
      for (int r = 0; r < rhs; ++r) {
        field got = expected[r];
        collect(layout, outs, got, r);
        if (got != expected[r]) throw std::runtime_error("a right-hand side is another's");
      }
    }
  });
  BOOST_TEST(true);
}

BOOST_AUTO_TEST_CASE(ranks_and_overlap_give_the_bits_of_one_rank_in_every_number_of_reals) {
  const instruction_set& set = choose_instruction_set();
  for (const field_precision format :
       {field_precision::double_, field_precision::single, field_precision::half}) {
    for (const int reals : {18, 12, 8}) {
      const auto hopped_by = [&](const coordinate& grid, overlap mode) {
        constexpr coordinate lattice = {4, 4, 8, 8};
        std::vector<double> whole(volume(lattice) * 24);
        run_on_threads(static_cast<int>(volume(grid)), [&](context ctx) {
          const geometry g(ctx, lattice, grid);
          gauge_field links(g);
          set_hot(links, 2);
          links.exchange_ghosts();
          const lane_layout layout(g, set.widest_lanes(format));
          thread_team team(1);
          hopping hop(layout, hop_links(links), {.overlap = mode, .recon = reals},
                      *set.kernels(format, layout.lanes()), team);
          field psi(g.local_volume() * 12);
          random_source(g, 1, 12, psi);
          lane_field in(layout, 0, 12, format), out(layout, 1, 12, format);
          spread(layout, psi, in);
          // The hop is applied twice, so that both banks of the ghosts are read.
          for (int turn = 0; turn < 2; ++turn) hop.apply(out, in, {});
          field got(psi.size());
          collect(layout, out, got);
          for (std::size_t k = 0; k < got.size(); ++k) {
            const std::size_t site = g.global_index(g.global_site(g.local_site(k / 12)));
            whole[site * 24 + k % 12 * 2] = got[k].real();
            whole[site * 24 + k % 12 * 2 + 1] = got[k].imag();
          }
        });
        return whole;
      };
      const auto expected = hopped_by({1, 1, 1, 1}, overlap::fused);
      for (const coordinate& grid : {coordinate{1, 1, 1, 2}, coordinate{1, 1, 2, 2}}) {
        for (const overlap mode : {overlap::none, overlap::fused, overlap::faces}) {
          BOOST_TEST((hopped_by(grid, mode) == expected),
                     reals << " reals, storage " << static_cast<int>(format) << ", grid "
                           << to_string(grid) << ", overlap " << static_cast<int>(mode));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(links_of_another_operator_are_refused) {
  run_on_threads(1, [](context ctx) {
    gauge_field links(geometry(ctx, {4, 4, 4, 4}));
    set_cold(links);
    const kernel_table& kernels = *choose_instruction_set().kernels(field_precision::double_, 1);
    const lane_layout layout(links.geometry(), 1, 3);
    thread_team team(1);
    BOOST_CHECK_THROW(hopping(layout, links, {.kind = dslash::asqtad}, kernels, team), usage_error);
  });
}

BOOST_AUTO_TEST_CASE(best_supported_instruction_set_is_chosen) {
  BOOST_TEST(choose_instruction_set().supported());
  BOOST_CHECK_THROW(choose_instruction_set("mmx"), usage_error);
}
