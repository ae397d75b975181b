#include <sys/resource.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <limits>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/gauge_field.hpp>
#include <optional>

#include "unit/io_samples.hpp"

using namespace samples;
using onehop::context;
using onehop::coordinate;
using onehop::gauge_field;
using onehop::geometry;

namespace {

constexpr lattice_site lattice{4, 6, 2, 8};
const std::vector<lattice_site> grids{{1, 1, 1, 1}, {1, 1, 1, 2}, {2, 1, 1, 1},
                                      {1, 2, 1, 2}, {2, 2, 1, 1}, {1, 1, 2, 2}};

int ranks_of(const lattice_site& grid) { return static_cast<int>(onehop::io::site_count(grid)); }

template <class Visit>
void for_each_link(const geometry& geometry, Visit&& visit) {
  for (std::size_t n = 0; n < geometry.local_volume(); ++n) {
    const auto site = geometry.local_site(n);
    for (int mu = 0; mu < 4; ++mu) visit(site, geometry.global_site(site), mu);
  }
}

configuration read_on(const lattice_site& grid, const std::string& path,
                      std::vector<std::string>* warnings = nullptr, bool non_unitary = false) {
  configuration result(onehop::inspect_gauge_file(path).lattice);
  onehop::run_on_threads(ranks_of(grid), [&](context ctx) {
    const geometry block(ctx, result.extents, grid);
    const auto note = [&](const std::string& line) {
      if (warnings != nullptr) warnings->push_back(line);
    };
    const auto links =
        onehop::read_gauge_file(block, path, {.warn = note, .allow_non_unitary = non_unitary});
    for_each_link(block, [&](const coordinate& site, const coordinate& global, int mu) {
      result.link(global, mu) = links.link(mu, site);
    });
  });
  return result;
}

gauge_field field_of(const geometry& block, const configuration& links) {
  gauge_field field(block);
  for_each_link(block, [&](const coordinate& site, const coordinate& global, int mu) {
    field.link(mu, site) = links.link(global, mu);
  });
  field.exchange_ghosts();
  return field;
}

// Returns what each of four ranks says of an attempt; all must say the same.
template <class Error>
std::string message_on_all(const std::function<void(const context&)>& attempt) {
  std::vector<std::string> messages(4);
  onehop::run_on_threads(4, [&](context ctx) {
    try {
      attempt(ctx);
    } catch (const Error& error) {
      messages[static_cast<std::size_t>(ctx.rank())] = error.what();
    }
  });
  for (const auto& message : messages) BOOST_TEST(message == messages[0]);
  BOOST_TEST(messages[0].find('\n') == std::string::npos);
  BOOST_TEST_MESSAGE(messages[0]);
  return messages[0];
}

template <class Error>
std::string read_refusal(const std::string& path, const lattice_site& extents) {
  return message_on_all<Error>([&](const context& ctx) {
    onehop::read_gauge_file(geometry(ctx, extents, {1, 1, 2, 2}), path);
  });
}

// A file_size_limit lets no file of this process grow beyond a size, as a full disk would.
class file_size_limit {
 public:
  explicit file_size_limit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~file_size_limit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  file_size_limit(const file_size_limit&) = delete;
  file_size_limit& operator=(const file_size_limit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

template <class Error>
std::string write_refusal(const configuration& links, const std::string& path,
                          const std::string& format, rlim_t largest_file = RLIM_INFINITY) {
  return message_on_all<Error>([&](const context& ctx) {
    const auto field = field_of(geometry(ctx, links.extents, {1, 1, 2, 2}), links);
    onehop::barrier(ctx);
    std::optional<file_size_limit> limit;
    if (ctx.rank() == 0 && largest_file != RLIM_INFINITY) limit.emplace(largest_file);
    onehop::barrier(ctx);
    onehop::write_gauge_file(field, path, format);
  });
}

bool has(const std::string& message, const std::string& words) {
  return message.find(words) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_grid_reads_the_links_of_every_format) {
  const scratch_folder scratch;
  for (const auto& s : every_kind(lattice, 51)) {
    const auto path = scratch.file("links", s.bytes);
    for (const auto& grid : grids) {
      std::vector<std::string> warnings;
      BOOST_TEST((read_on(grid, path, &warnings) == s.links),
                 s.name << " on grid " << onehop::io::extents_text(grid));
      BOOST_TEST(warnings.size() == (s.has_checksum ? 0U : 1U));
    }
  }
}

BOOST_AUTO_TEST_CASE(every_grid_writes_the_same_bytes) {
  const scratch_folder scratch;
  const auto links = random_configuration(lattice, 52);
  for (const std::string format : {"NERSC", "ILDG", "SciDAC", "openQCD"}) {
    const auto path = scratch.path("links");
    std::string first;
    for (const auto& grid : grids) {
      onehop::run_on_threads(ranks_of(grid), [&](context ctx) {
        const auto field = field_of(geometry(ctx, lattice, grid), links);
        onehop::write_gauge_file(field, path, format);
      });
      const auto bytes = bytes_of_file(path);
      if (first.empty()) first = bytes;
      BOOST_TEST((bytes == first));
      BOOST_TEST((read_on(grid, path) == links));
    }
  }
  BOOST_TEST(scratch.entries().size() == 1U);
}

BOOST_AUTO_TEST_CASE(inspection_says_what_the_header_says) {
  const scratch_folder scratch;
  for (const auto& s : every_kind({2, 4, 2, 6}, 53)) {
    const auto info = onehop::inspect_gauge_file(scratch.file("links", s.bytes));
    BOOST_TEST(info.format == s.format);
    BOOST_TEST((info.lattice == coordinate{2, 4, 2, 6}));
    BOOST_TEST(info.precision_bits == s.bits);
    BOOST_TEST(info.endianness == (s.little ? "little" : "big"));
    BOOST_TEST(info.has_checksum == s.has_checksum);
    const bool stated = s.format == "NERSC" || s.format == "openQCD";
    BOOST_TEST((stated ? std::abs(info.plaquette - plaquette(s.links)) < 1e-9
                       : std::isnan(info.plaquette)));
  }
}

BOOST_AUTO_TEST_CASE(damaged_data_are_refused_by_all_ranks) {
  const scratch_folder scratch;
  for (auto& s : every_kind(lattice, 54)) {
    // This is the highest byte of a little-endian double: the damage takes a link out of SU(3).
    s.bytes[s.data_offset + 4007] = static_cast<char>(s.bytes[s.data_offset + 4007] ^ 0x20);
    const auto path = scratch.file("links", s.bytes);
    const auto message = read_refusal<onehop::error>(path, lattice);
    BOOST_TEST(has(message, path));
    BOOST_TEST(has(message, s.has_checksum ? "but its data give" : "differs from SU(3)"), s.name);
  }
}

BOOST_AUTO_TEST_CASE(a_wrong_plaquette_or_link_trace_is_refused_with_both_values) {
  const scratch_folder scratch;
  const auto links = random_configuration(lattice, 55);
  nersc_choice wrong_plaquette, wrong_trace;
  wrong_plaquette.plaquette = "0.5937";
  wrong_trace.link_trace = "-0.123456";
  const auto path = scratch.file("links", nersc_file(links, wrong_plaquette));
  BOOST_TEST(has(read_refusal<onehop::file_error>(path, lattice), "plaquette 0.5937, but"));
  scratch.file("links", nersc_file(links, wrong_trace));
  BOOST_TEST(has(read_refusal<onehop::file_error>(path, lattice), "link trace -0.123456, but"));
}

BOOST_AUTO_TEST_CASE(header_values_count_to_their_last_printed_digit) {
  const scratch_folder scratch;
  configuration cold({2, 2, 2, 4});
  for (auto& u : cold.links) u[0] = u[4] = u[8] = 1;
  nersc_choice choice;
  choice.plaquette = choice.link_trace = "1";
  const auto path = scratch.file("links", nersc_file(cold, choice));
  BOOST_TEST((read_on({1, 1, 1, 2}, path) == cold));
  choice.plaquette = "1.0000001";
  scratch.file("links", nersc_file(cold, choice));
  BOOST_TEST((read_on({1, 1, 1, 2}, path) == cold));
  choice.plaquette = "1.0000003";
  scratch.file("links", nersc_file(cold, choice));
  BOOST_TEST(has(read_refusal<onehop::file_error>(path, cold.extents), "1.0000003"));
}

BOOST_AUTO_TEST_CASE(a_link_that_is_no_number_is_named) {
  const scratch_folder scratch;
  auto links = random_configuration(lattice, 56);
  links.link({3, 5, 1, 7}, 2)[4] = std::numeric_limits<double>::quiet_NaN();
  const auto path = scratch.file("links", ildg_file(links));
  const auto message = read_refusal<onehop::numeric_error>(path, lattice);
  BOOST_TEST(has(message, path));
  BOOST_TEST(has(message, "direction z"));
  BOOST_TEST(has(message, "(3,5,1,7)"));
}

BOOST_AUTO_TEST_CASE(a_link_outside_su3_is_named_unless_such_are_allowed) {
  const scratch_folder scratch;
  const std::complex<double> i(0, 1);
  // The factors make a longer link, one in U(3) with another determinant, a sign as of a boundary
  // condition, and a damage just above the limit.
  for (const auto factor : {1.5 + 0. * i, std::exp(0.1 * i), -1. + 0. * i, 1.0006 + 0. * i}) {
    auto links = random_configuration(lattice, 57);
    for (auto& entry : links.link({0, 1, 0, 5}, 1)) entry *= factor;
    const auto path = scratch.file("links", ildg_file(links));
    const auto message = read_refusal<onehop::numeric_error>(path, lattice);
    for (const auto& words : {path, std::string("direction y"), std::string("(0,1,0,5)"),
                              std::string("--allow-non-unitary")})
      BOOST_TEST(has(message, words));
    std::vector<std::string> warnings;
    BOOST_TEST((read_on({1, 1, 1, 2}, path, &warnings, true) == links));
    // The warning looks at U^+ U only.
    BOOST_TEST(warnings.size() == (std::abs(std::abs(factor) - 1) > 1e-9 ? 1U : 0U));
    for (const auto& warning : warnings) BOOST_TEST(has(warning, "differ from SU(3)"));
  }
}

BOOST_AUTO_TEST_CASE(links_of_few_digits_are_warned_of_and_kept) {
  const scratch_folder scratch;
  auto links = random_configuration(lattice, 57);
  for (auto& entry : links.link({0, 1, 0, 5}, 1)) entry *= 1.0001;
  std::vector<std::string> warnings;
  const auto path = scratch.file("links", ildg_file(links));
  BOOST_TEST((read_on({1, 1, 1, 2}, path, &warnings) == links));
  BOOST_TEST_REQUIRE(warnings.size() == 1U);
  BOOST_TEST(has(warnings[0], "differ from SU(3)"));
}

BOOST_AUTO_TEST_CASE(another_lattice_than_the_files_is_a_wrong_use) {
  const scratch_folder scratch;
  const auto path = scratch.file("links", ildg_file(random_configuration({2, 2, 2, 4}, 58)));
  const auto message = read_refusal<onehop::usage_error>(path, {2, 2, 2, 8});
  BOOST_TEST(has(message, path));
  BOOST_TEST(has(message, "2x2x2x4, not 2x2x2x8"));
}

BOOST_AUTO_TEST_CASE(writing_that_fails_leaves_nothing) {
  const scratch_folder scratch;
  auto links = random_configuration(lattice, 59);
  const auto path = scratch.path("links");
  BOOST_TEST(has(write_refusal<onehop::file_error>(links, scratch.path("no/links"), "ILDG"),
                 "No such file"));
  BOOST_TEST(
      has(write_refusal<onehop::usage_error>(links, path, "HDF5"), "NERSC, MILC and openQCD"));

  BOOST_TEST(has(write_refusal<onehop::file_error>(links, path, "NERSC", 100000),
                 path + ": cannot be written at byte"));

  links.link({0, 0, 0, 0}, 0)[0] = std::numeric_limits<double>::infinity();
  BOOST_TEST(has(write_refusal<onehop::numeric_error>(links, path, "ILDG"), "direction x"));
  BOOST_TEST(scratch.entries().empty());
}
