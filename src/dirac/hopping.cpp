#include "dirac/hopping.hpp"

#include "device/launch.hpp"

#include <onehop/trace.hpp>

#include <algorithm>
#include <numeric>

namespace onehop {
namespace {

/// Wilson sends two of four spin components: the other two follow from them.
int face_reals(dslash kind) { return kind == dslash::wilson ? 12 : 6; }

/// Eight links and eight neighbours are read and a spinor is written for each site.
device::cost hop_cost(dslash kind, double sites) {
  const double flops = kind == dslash::wilson ? 1320 : 570;
  const double reals = kind == dslash::wilson ? 8 * 18 + 9 * 24 : 8 * 18 + 9 * 6;
  return {flops * sites, reals * sizeof(double) * sites, 0};
}

/// One kernel for all sites that are ready, however they are grouped here.
constexpr device::cost one_launch{0, 0, 1};

device::cost pack_cost(dslash kind, double sites) {
  const double reals = kind == dslash::wilson ? 24 + 12 : 6 + 6;
  return {12 * sites, reals * sizeof(double) * sites, 0};
}

}  // namespace

hopping::hopping(const lane_layout& layout, const gauge_field& links, dslash kind,
                 bool antiperiodic, const kernel_table& kernels, overlap mode)
    : layout_(layout),
      kernels_(&kernels),
      kind_(kind),
      mode_(mode),
      links_{link_field(layout, 0, links, kind, antiperiodic),
             link_field(layout, 1, links, kind, antiperiodic)},
      exchanges_{face_exchange(layout, 0, face_reals(kind)),
                 face_exchange(layout, 1, face_reals(kind))} {
  for (int parity = 0; parity < 2; ++parity) make_groups(parity);
}

void hopping::make_groups(int parity) {
  all_[parity].resize(layout_.vectors(parity));
  std::iota(all_[parity].begin(), all_[parity].end(), 0);
  const auto neighbours = layout_.neighbours(parity);
  for (const std::int32_t vector : all_[parity]) {
    unsigned faces = 0;
    for (int d = 0; d < 8; ++d) {
      if (neighbours[static_cast<std::size_t>(vector) * 8 + d].face >= 0) faces |= 1U << d;
    }
    if (faces == 0) {
      interior_[parity].push_back(vector);
      continue;
    }
    auto& groups = boundary_[parity];
    auto found = std::find_if(groups.begin(), groups.end(),
                              [faces](const group& g) { return g.faces == faces; });
    if (found == groups.end()) found = groups.insert(groups.end(), {faces, false, {}});
    found->vectors.push_back(vector);
  }
}

hop_job hopping::make_job(lane_field& out, const lane_field& in, double hop_scale,
                          double addend_scale, const lane_field* addend) const {
  hop_job job{};
  job.links = links_[out.parity()].data();
  job.in = in.data();
  job.addend = addend == nullptr ? nullptr : addend->data();
  job.addend_scale = addend_scale;
  job.hop_scale = hop_scale;
  job.out = out.data();
  job.neighbours = layout_.neighbours(out.parity()).data();
  for (int d = 0; d < 8; ++d) job.shuffles[d] = layout_.shuffle(d).data();
  for (int mu = 0; mu < 4; ++mu) job.face_lanes[mu] = layout_.face_lanes(mu);
  return job;
}

void hopping::run(hop_job& job, const std::vector<std::int32_t>& vectors, bool dagger) const {
  job.vectors = vectors.data();
  job.count = static_cast<std::int32_t>(vectors.size());
  kind_ == dslash::wilson ? kernels_->wilson_hop(job, dagger) : kernels_->staggered_hop(job);
  device::charge(ctx(), hop_cost(kind_, job.count * layout_.lanes()));
}

void hopping::start(const lane_field& in, bool dagger) {
  const trace_span span(recorder(), "pack and start");
  device::charge(ctx(), one_launch);
  exchanges_[in.parity()].start([&](int direction, double* target) {
    const auto vectors = layout_.face_vectors(in.parity(), direction);
    const pack_job job{in.data(),
                       target,
                       direction,
                       vectors.data(),
                       static_cast<std::int32_t>(vectors.size()),
                       layout_.face_lane_list(direction).data(),
                       layout_.face_lanes(direction % 4)};
    kind_ == dslash::wilson ? kernels_->wilson_pack(job, dagger) : kernels_->staggered_pack(job);
    device::charge(ctx(), pack_cost(kind_, job.count * layout_.face_lanes(direction % 4)));
  });
}

void hopping::wait(int parity) {
  const auto begin = ctx().now();
  exchanges_[parity].wait();
  time_.halo_wait += ctx().now() - begin;
}

void hopping::find_ghosts(hop_job& job, int parity, unsigned faces) const {
  for (int d = 0; d < 8; ++d) {
    if ((faces & (1U << d)) != 0) job.ghosts[d] = exchanges_[parity].ghost(d);
  }
}

void hopping::run_interior(hop_job& job, int parity, bool dagger) const {
  const trace_span span(recorder(), "hop in the interior");
  device::charge(ctx(), one_launch);
  run(job, interior_[parity], dagger);
}

void hopping::run_boundary(hop_job& job, int parity, bool dagger) {
  wait(parity);
  find_ghosts(job, parity, exchanges_[parity].ghost_mask());
  const trace_span span(recorder(), "hop on the boundary");
  device::charge(ctx(), one_launch);
  for (const group& g : boundary_[1 - parity]) run(job, g.vectors, dagger);
}

void hopping::run_as_faces_arrive(hop_job& job, int parity, bool dagger) {
  face_exchange& exchange = exchanges_[parity];
  unsigned missing = exchange.ghost_mask();
  auto& groups = boundary_[1 - parity];
  for (group& g : groups) g.done = false;
  while (missing != 0) {
    const auto begin = ctx().now();
    unsigned arrived = exchange.arrived(missing);
    if (arrived == 0) arrived = exchange.wait_for_one(missing);
    time_.halo_wait += ctx().now() - begin;
    missing &= ~arrived;
    find_ghosts(job, parity, arrived);
    const trace_span span(recorder(), "hop on the boundary");
    device::charge(ctx(), one_launch);
    for (group& g : groups) {
      if (g.done || (g.faces & missing) != 0) continue;
      run(job, g.vectors, dagger);
      g.done = true;
    }
  }
  wait(parity);
}

void hopping::apply(lane_field& out, const lane_field& in, double hop_scale, bool dagger,
                    double addend_scale, const lane_field* addend) {
  const auto begin = ctx().now();
  const auto waited_before = time_.halo_wait;
  const int parity = in.parity();
  hop_job job = make_job(out, in, hop_scale, addend_scale, addend);
  start(in, dagger);
  if (mode_ == overlap::none || exchanges_[parity].empty()) {
    wait(parity);
    find_ghosts(job, parity, exchanges_[parity].ghost_mask());
    const trace_span span(recorder(), "hop");
    device::charge(ctx(), one_launch);
    run(job, all_[out.parity()], dagger);
  } else {
    run_interior(job, out.parity(), dagger);
    mode_ == overlap::fused ? run_boundary(job, parity, dagger)
                            : run_as_faces_arrive(job, parity, dagger);
  }
  time_.compute += ctx().now() - begin - (time_.halo_wait - waited_before);
}

}  // namespace onehop
