#include "dirac/hop_choice.hpp"

#include "dirac/hopping.hpp"

#include <onehop/error.hpp>
#include <onehop/propagator.hpp>

#include <boost/test/unit_test.hpp>
#include <numeric>

using namespace onehop;

namespace {

using field = std::vector<std::complex<double>>;

gauge_field hot_links(const geometry& g) {
  gauge_field links(g);
  set_hot(links, 2);
  links.exchange_ghosts();
  return links;
}

/// Returns H psi for both parities, done as `words` say.
field hopped(hopping& hop, const std::string& words, const field& psi, bool dagger) {
  hop.choose(hop_choice::parse(words));
  field result(psi.size());
  for (int parity = 0; parity < 2; ++parity) {
    lane_field in(hop.layout(), 1 - parity, components(hop.kind()), hop.kernels().kind);
    lane_field out(hop.layout(), parity, components(hop.kind()), hop.kernels().kind);
    spread(hop.layout(), psi, in);
    hop.apply(out, in, {.hop_scale = 0.7}, dagger);
    collect(hop.layout(), out, result);
  }
  return result;
}

/// Tries all instruction sets and precisions. Throws where one gives other bits than another.
void try_all_choices(const hop_links& links, dslash kind) {
  const geometry& g = links.geometry();
  field psi(g.local_volume() * components(kind));
  random_source(g, 1, components(kind), psi);
  thread_team team(2);
  for (const instruction_set& set : built_instruction_sets()) {
    if (!set.supported()) continue;
    for (const field_precision format :
         {field_precision::double_, field_precision::single, field_precision::half}) {
      const lane_layout layout = widest_layout(g, set, format, reach(kind));
      hopping hop(layout, links, {.kind = kind}, *set.kernels(format, layout.lanes()), team);
      for (const bool dagger : {false, true}) {
        const field expected = hopped(hop, "links:twice", psi, dagger);
        for (const char* words :
             {"", "links:once", "links:once,ahead:vector", "links:once,ahead:direction",
              "order:2x2x2,write:past,ahead:vector", "links:once,order:1x2x1,write:kept"}) {
          if (hopped(hop, words, psi, dagger) == expected) continue;
          throw std::runtime_error(std::string(set.name) + ", operator " +
                                   std::to_string(static_cast<int>(kind)) + ", storage " +
                                   std::to_string(static_cast<int>(format)) + ", grid " +
                                   to_string(g.grid()) + ": '" + words + "' gives other bits");
        }
      }
    }
  }
}

void hop(const hop_job& job, dslash kind, const kernel_table& kernels) {
  if (kind == dslash::wilson) return kernels.wilson_hop(job, false);
  (is_improved(kind) ? kernels.naik_hop : kernels.staggered_hop)(job);
}

/// Tries a hop to odd sites whose own links are zero.
void try_neighbours_links(const gauge_field& thin, dslash kind, field_precision format) {
  const geometry& g = thin.geometry();
  const hop_links links(thin, operator_of(kind));
  const instruction_set& set = choose_instruction_set();
  const lane_layout layout = widest_layout(g, set, format, reach(kind));
  const kernel_table& kernels = *set.kernels(format, layout.lanes());
  const link_field near(layout, links, 1, kind, true, format, 18);
  const link_field far(layout, links, reach(kind), kind, true, format, 18);
  const int n = components(kind);
  field psi(g.volume() * n);
  random_source(g, 1, n, psi);
  lane_field in(layout, 0, n, format), out(layout, 1, n, format);
  spread(layout, psi, in);
  std::vector<std::int32_t> vectors(layout.vectors(1));
  std::iota(vectors.begin(), vectors.end(), 0);

  hop_job job{};
  job.links = near.view(1);
  job.far_links = far.view(1);
  job.in = in.data();
  job.hop_scale = 1;
  job.out = out.data();
  job.fixed = format == field_precision::half;
  job.rhs = 1;
  job.neighbours = layout.neighbours(1).data();
  job.edges = layout.edges(1).data();
  job.far_neighbours = layout.neighbours(1, reach(kind)).data();
  job.far_edges = layout.edges(1, reach(kind)).data();
  for (int d = 0; d < 8; ++d) job.shuffles[d] = layout.shuffle(d).data();
  job.vectors = vectors.data();
  job.count = layout.vectors(1);
  hop(job, kind, kernels);
  field expected(psi.size()), got(psi.size());
  collect(layout, out, expected);

  const aligned_memory zeros(near.bytes_per_hop());
  job.links.blocks = job.far_links.blocks = zeros.data();
  job.neighbours_links = near.view(0).blocks;
  job.neighbours_far_links = far.view(0).blocks;
  thread_team team(1);
  out.set_zero(team);
  hop(job, kind, kernels);
  collect(layout, out, got);
  BOOST_TEST((got == expected),
             "operator " << static_cast<int>(kind) << ", storage " << static_cast<int>(format));
}

}  // namespace

BOOST_AUTO_TEST_CASE(no_choice_changes_a_bit) {
  // Local extents of 8 and 16 can be split among lanes for hops by three sites too.
  constexpr coordinate lattice = {16, 4, 16, 16};
  for (const coordinate& grid : {coordinate{1, 1, 1, 1}, {1, 1, 1, 2}, {2, 1, 2, 1}}) {
    run_on_threads(static_cast<int>(volume(grid)), [&](context ctx) {
      const geometry g(ctx, lattice, grid);
      const gauge_field links = hot_links(g);
      for (const dslash kind : {dslash::wilson, dslash::staggered, dslash::asqtad}) {
        try_all_choices(hop_links(links, operator_of(kind)), kind);
      }
    });
  }
  BOOST_TEST(true);
}

// Without this it would not matter to a cache what was chosen.
BOOST_AUTO_TEST_CASE(links_of_neighbours_are_read_in_place_of_own_ones) {
  run_on_threads(1, [](context ctx) {
    const geometry g(ctx, {8, 8, 16, 16});
    const gauge_field thin = hot_links(g);
    for (const dslash kind : {dslash::wilson, dslash::staggered, dslash::asqtad}) {
      for (const field_precision format :
           {field_precision::double_, field_precision::single, field_precision::half}) {
        if (can_read_links_once(format, 18)) try_neighbours_links(thin, kind, format);
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(links_are_held_once_where_only_then_they_fit_a_large_cache) {
  // These are the bytes for 8^4, single precision, 18 reals.
  constexpr std::size_t links = 1179648, field = 196608;
  constexpr std::size_t large = std::size_t{2} << 20U;
  const auto once = [](const hop_footprint& sizes) { return plan_hop({}, sizes).links_once; };
  BOOST_TEST(once({links, field, 1, large, true}));
  BOOST_TEST(!once({links, field, 1, large, false}));
  // Two cores hold both copies.
  BOOST_TEST(!once({links, field, 2, large, true}));
  BOOST_TEST(plan_hop({}, {links, field, 2, large, true}).in_own_cache);
  // The sizes almost fit; do not fit; have a cache for which nobody has seen a gain.
  BOOST_TEST(once({2 * links, field / 2, 1, large, true}));
  BOOST_TEST(!once({2 * links, 2 * field, 1, large, true}));
  BOOST_TEST(!once({links / 2, field / 2, 1, large / 2, true}));
}

BOOST_AUTO_TEST_CASE(a_measured_choice_goes_before_the_rule_of_sizes) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20U;
  const hop_footprint small{mebibyte / 8, mebibyte / 32, 1, mebibyte, true};
  const hop_footprint large{100 * mebibyte, 20 * mebibyte, 1, mebibyte, true};
  BOOST_TEST(!plan_hop({}, small).past_caches);
  BOOST_TEST(!plan_hop({}, small).from_memory);
  BOOST_TEST(plan_hop({}, large).past_caches);
  BOOST_TEST(plan_hop({}, large).from_memory);
  const hop_choice measured = hop_choice::parse("write:past,ahead:vector,links:once");
  BOOST_TEST(plan_hop(measured, small).past_caches);
  BOOST_TEST(plan_hop(measured, small).from_memory);
  BOOST_TEST(plan_hop(measured, large).links_once);
  BOOST_TEST(!plan_hop(hop_choice::parse("write:kept"), large).past_caches);
  // No measurement makes hops do what they cannot.
  hop_footprint compressed = large;
  compressed.can_share_links = false;
  BOOST_TEST(!plan_hop(measured, compressed).links_once);
}

BOOST_AUTO_TEST_CASE(words_that_are_no_choice_are_refused) {
  for (const char* words : {"links", "links:thrice", "ahead:once", "order:1x2", "order:1x2x0", "x"})
    BOOST_CHECK_THROW(hop_choice::parse(words), usage_error);
  BOOST_TEST((hop_choice::parse("links:once").links_once == hop_choice::answer::yes));
  BOOST_TEST((hop_choice::parse("").links_once == hop_choice::answer::by_size));
}
