#include "benchmarks/hop_tuning.hpp"

#include <onehop/collectives.hpp>

#include <array>
#include <chrono>

#include "base/environment.hpp"
#include "benchmarks/solve_work.hpp"
#include "dirac/kernels.hpp"

namespace onehop::bench {
namespace {

const instruction_set& widest() { return choose_instruction_set(environment::read().simd); }

}  // namespace

hop_tuner::hop_tuner(const onehop::geometry& geometry, const operator_cell& what)
    : cell_(what),
      threads_(what.threads, what.first_core),
      bench_(geometry),
      links_(bench_.links, what.dirac),
      layout_(widest_layout(geometry, widest(), field_precision_of(what.precision),
                            reach(kind_of(what.dirac)))),
      hop_(layout_, links_,
           {.kind = hop_of(kind_of(what.dirac)), .recon = what.recon, .rhs = what.rhs},
           *widest().kernels(field_precision_of(what.precision), layout_.lanes()), threads_.team()),
      in_(layout_, 0, components(kind_of(what.dirac)), hop_.kernels().kind, what.rhs),
      out_(layout_, 1, components(kind_of(what.dirac)), hop_.kernels().kind, what.rhs),
      back_(layout_, 0, components(kind_of(what.dirac)), hop_.kernels().kind, what.rhs) {
  for (int k = 0; k < what.rhs; ++k) {
    spread(layout_, noise(geometry, kind_of(what.dirac), k), in_, k);
  }
}

std::string hop_tuner::name() const {
  return hop_name(hop_.kind(), hop_.kernels().kind, cell_.recon, layout_.geometry(), cell_.threads);
}

void hop_tuner::run(int count) {
  for (int k = 0; k < count; ++k)
    k % 2 == 0 ? hop_.apply(out_, in_, {}) : hop_.apply(back_, out_, {});
}

double hop_tuner::seconds(const std::string& words, int count) {
  const context& ctx = layout_.geometry().context();
  const pinned_team::stay stay(threads_);
  hop_.choose(hop_choice::parse(words));
  run(1);
  return seconds_of(ctx, [&] { run(count); }) / count;
}

bool hop_tuner::same_bits(const std::string& words) {
  const auto result = [&](const hop_choice& choice) {
    fermion all(layout_.geometry().local_volume() * components(kind_of(cell_.dirac)));
    hop_.choose(choice);
    run(1);
    collect(layout_, out_, all, cell_.rhs - 1);
    return all;
  };
  const bool same = result(hop_choice::parse(words)) == result({});
  std::array<double, 1> different = {same ? 0.0 : 1.0};
  allreduce_max(layout_.geometry().context(), different);
  return different[0] == 0;
}

}  // namespace onehop::bench
