#include <onehop/error.hpp>

#include <array>

#include "benchmarks/device_rate.hpp"
#include "benchmarks/device_work.hpp"
#include "benchmarks/reference_result.hpp"
#include "device/block_shapes.hpp"
#include "dirac/device/hopping.hpp"
#include "solver/device_choice.hpp"

namespace onehop::bench {
namespace {

using device::block_shapes;
using device::kernel_kind;

struct tuned_kernel {
  kernel_kind kind;
  dslash by;  ///< an operator that has this hop
};
constexpr std::array<tuned_kernel, 4> hops = {{{kernel_kind::wilson, dslash::wilson},
                                               {kernel_kind::factored, dslash::clover},
                                               {kernel_kind::staggered, dslash::staggered},
                                               {kernel_kind::far, dslash::hisq}}};

/// vector_work is the vector algebra of CG, in single precision.
class vector_work {
 public:
  vector_work(device::backend& where, const hop_links& links)
      : hop_(where, links, {}, field_precision::single),
        fields_{hop_.make_field(), hop_.make_field(), hop_.make_field(), hop_.make_field()} {}

  void run(device::stream& on, int count) {
    device::field_job job{};
    job.y = fields_[0].view();
    job.x = fields_[1].view();
    job.z = fields_[2].view();
    job.w = fields_[3].view();
    job.count = hop_.count();
    job.rhs = 1;
    job.components = fields_[0].components();
    job.partials = hop_.partials();
    for (int k = 0; k < count; ++k) hop_.kernels().cg_update(on, job);
  }

 private:
  device::hopping hop_;
  std::array<device::field, 4> fields_;
};

/// A tuner tunes one kernel after the other, each with the shapes chosen so far.
class tuner {
 public:
  tuner(const context& ctx, device::backend& where, int rounds)
      : ctx_(ctx), where_(&where), on_(where.make_stream()), rounds_(rounds) {}

  template <class Work>
  void tune(std::size_t place, Work& work) {
    const auto run = [&](int count) { work.run(*on_, count); };
    run(2);
    const int count = count_for_a_block(ctx_, *on_, run);
    tuned_block found{block_shapes::name(place), block_shapes::standard, {}};
    found.times = time_blocks(block_shapes::choices, rounds_, [&](int threads) {
      use(place, threads);
      return device_seconds(ctx_, *on_, [&] { run(count); }) / count;
    });
    found.threads = fastest_block(found.times, block_shapes::standard);
    use(place, found.threads);
    blocks.push_back(std::move(found));
  }
  std::string words() const { return shapes_.words(); }

  std::vector<tuned_block> blocks;

 private:
  void use(std::size_t place, int threads) {
    shapes_.set(place, threads);
    where_->set_blocks(shapes_);
  }

  context ctx_;
  device::backend* where_;
  std::unique_ptr<device::stream> on_;
  int rounds_;
  block_shapes shapes_;
};

}  // namespace

tuned_device tune_device(const onehop::geometry& geometry, operator_cell cell, int rounds) {
  cell.rhs = 1;
  const auto where =
      cell.make_backend ? cell.make_backend() : open_untuned_device(geometry.context(), cell);
  if (where == nullptr) throw usage_error("the host has no blocks to tune; use --device cuda");
  const bench_links bench(geometry);
  tuner all(geometry.context(), *where, rounds);
  for (const tuned_kernel& hop : hops) {
    const hop_links links(bench.links, operator_of(hop.by));
    for (const precision precision : {precision::double_, precision::single, precision::half}) {
      for (const int recon : {18, 12, 8}) {
        if (is_improved(hop.by) && recon < 18) continue;
        cell.dirac = operator_of(hop.by);
        cell.precision = precision;
        cell.recon = recon;
        const auto work = make_device_work(*where, links, cell);
        all.tune(block_shapes::place(hop.kind, field_precision_of(precision), recon), *work);
      }
    }
  }
  const hop_links links(bench.links);
  vector_work vectors(*where, links);
  all.tune(block_shapes::place(kernel_kind::vectors, field_precision::single, 18), vectors);
  return {where->name(), all.words(), std::move(all.blocks)};
}

}  // namespace onehop::bench
