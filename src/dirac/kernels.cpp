#include "dirac/kernels.hpp"

#include "base/text.hpp"
#include "dirac/isa/tables.hpp"

#include <onehop/error.hpp>

#include <string>

namespace onehop {
namespace {

[[maybe_unused]] bool always() { return true; }
#if defined(__x86_64__)
[[maybe_unused]] bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("fma");
}
[[maybe_unused]] bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

template <isa_tag Isa>
constexpr instruction_set describe(const char* name, bool (*supported)()) {
  return {name, supported,
          [](field_precision kind) {
            return kind == field_precision::double_ ? widest_lanes_of<Isa, double>()
                                                    : widest_lanes_of<Isa, float>();
          },
          [](field_precision kind, int lanes) {
            return kind == field_precision::double_ ? kernels_of<Isa, double>(kind, lanes)
                                                    : kernels_of<Isa, float>(kind, lanes);
          }};
}

}  // namespace

std::span<const instruction_set> built_instruction_sets() {
  static constexpr instruction_set built[] = {
#if defined(ONEHOP_HAVE_native)
    describe<isa_tag::native>("native", always),
#endif
#if defined(ONEHOP_HAVE_avx512)
    describe<isa_tag::avx512>("avx512", has_avx512),
#endif
#if defined(ONEHOP_HAVE_avx2)
    describe<isa_tag::avx2>("avx2", has_avx2),
#endif
#if defined(ONEHOP_HAVE_neon)
    describe<isa_tag::neon>("neon", always),
#endif
#if defined(ONEHOP_HAVE_plain)
    describe<isa_tag::plain>("plain", always),
#endif
  };
  return built;
}

const instruction_set& choose_instruction_set(std::string_view name) {
  std::string names;
  for (const instruction_set& set : built_instruction_sets()) {
    if (name == "auto" ? set.supported() : name == set.name) {
      if (set.supported()) return set;
      throw usage_error(text("instruction set ", name, " is not supported by this processor"));
    }
    names += text(names.empty() ? "" : ", ", set.name);
  }
  throw usage_error(text("no kernels for instruction set ", name, "; this build has ", names));
}

lane_layout widest_layout(const geometry& geometry, const instruction_set& set,
                          field_precision kind, int reach) {
  const int lanes = lane_layout::fitting_lanes(geometry, set.widest_lanes(kind), reach);
  return {geometry, set.kernels(kind, lanes) == nullptr ? 1 : lanes, reach};
}

}  // namespace onehop
