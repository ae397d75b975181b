#include "dirac/hopping.hpp"

#include "base/text.hpp"
#include "dirac/hop_cost.hpp"
#include "machine/caches.hpp"

#include <onehop/error.hpp>
#include <onehop/trace.hpp>

#include <algorithm>

namespace onehop {
namespace {

std::size_t face_bytes(dslash kind, const kernel_table& kernels, int rhs) {
  return face_reals(kind) * arithmetic_bytes(kernels.kind) * rhs;
}

constexpr std::size_t line_bytes = 64;

/// A device would run one kernel for all sites that are ready, however they are grouped here.
constexpr kernel_cost one_launch{0, 0, 1};

std::optional<link_field> make_far_links(const lane_layout& layout, const hop_links& links,
                                         const hop_settings& how, field_precision kind) {
  if (!is_improved(how.kind)) return std::nullopt;
  return link_field(layout, links, 3, how.kind, how.antiperiodic, kind, how.recon);
}

}  // namespace

int checked_recon(const hop_settings& how, const hop_links& links) {
  if (links.reach() != reach(how.kind)) {
    throw usage_error(text("links that reach ", links.reach(), " sites for an operator that hops ",
                           reach(how.kind), "; make hop_links for it"));
  }
  if (!is_improved(how.kind) || how.recon == 18) return how.recon;
  throw usage_error(text("links of ", how.recon,
                         " reals: fat links are not in SU(3), which those describe; use 18"));
}

double hop_flops(dslash kind) noexcept {
  return is_improved(kind) ? 1146 : is_staggered(kind) ? 570 : 1320;
}

hopping::hopping(const lane_layout& layout, const hop_links& links, const hop_settings& how,
                 const kernel_table& kernels, thread_team& team)
    : layout_(layout),
      kernels_(&kernels),
      how_(how),
      team_(&team),
      own_cache_(core_cache_bytes()),
      links_(layout, links, 1, how.kind, how.antiperiodic, kernels.kind, checked_recon(how, links)),
      far_links_(make_far_links(layout, links, how, kernels.kind)),
      exchanges_{make_exchange(0), make_exchange(1)},
      orders_{make_order(0), make_order(1)} {}

std::size_t hopping::vector_bytes(int rhs) const noexcept {
  return block_bytes(kernels_->kind, 2 * components(how_.kind), layout_.lanes()) * rhs;
}

std::size_t hopping::bytes(bool with_addend, int rhs) const noexcept {
  const std::size_t field = vector_bytes(rhs) * layout_.vectors(0);
  const std::size_t far = far_links_ ? far_links_->bytes_per_hop() : 0;
  return links_.bytes_per_hop() + far + (with_addend ? 3 : 2) * field;
}

hop_footprint hopping::footprint(int rhs) const noexcept {
  const std::size_t field = vector_bytes(rhs) * layout_.vectors(0);
  return {bytes(false, rhs) - 2 * field, field, static_cast<std::size_t>(team_->threads()),
          own_cache_, rhs == 1 && can_read_links_once(kernels_->kind, how_.recon)};
}

void hopping::choose(const hop_choice& choice) {
  choice_ = choice;
  for (int parity = 0; parity < 2; ++parity) orders_[parity] = make_order(parity);
}

face_exchange hopping::make_exchange(int parity) const {
  return {layout_, parity, face_bytes(how_.kind, *kernels_, how_.rhs)};
}

vector_order hopping::make_order(int parity) const {
  return {layout_, parity,
          plan_pieces(choice_, footprint(how_.rhs), layout_, vector_bytes(how_.rhs))};
}

hop_job hopping::make_job(lane_field& out, const lane_field& in, const terms& what) const {
  const hop_plan plan = plan_hop(choice_, footprint(out.rhs()));
  hop_job job{};
  job.links = links_.view(out.parity());
  job.in = in.data();
  job.addend = what.addend == nullptr ? nullptr : what.addend->data();
  // Factors that are numbers cost nothing extra; if all are, the result's factor is multiplied into
  // the others.
  const bool plain = what.addend == nullptr || what.addend_factor.is_number();
  const bool fold = plain && what.result_factor.is_number();
  const double folded = fold ? what.result_factor.scale : 1.0;
  job.hop_scale = folded * what.hop_scale;
  job.addend_scale = folded * what.addend_factor.scale;
  job.addend_factor = plain ? nullptr : &what.addend_factor;
  job.result_factor = fold ? nullptr : &what.result_factor;
  job.out = out.data();
  job.fixed = kernels_->kind == field_precision::half;
  job.streaming = plan.past_caches;
  job.rhs = out.rhs();
  job.from_memory = plan.from_memory;
  job.in_own_cache = plan.in_own_cache;
  if (plan.links_once && out.parity() == 1) {
    job.neighbours_links = links_.view(0).blocks;
    if (far_links_) job.neighbours_far_links = far_links_->view(0).blocks;
  }
  job.sums = what.sums;
  job.neighbours = layout_.neighbours(out.parity()).data();
  job.edges = layout_.edges(out.parity()).data();
  if (far_links_) {
    job.far_links = far_links_->view(out.parity());
    job.far_neighbours = layout_.neighbours(out.parity(), 3).data();
    job.far_edges = layout_.edges(out.parity(), 3).data();
  }
  for (int d = 0; d < 8; ++d) job.shuffles[d] = layout_.shuffle(d).data();
  for (int mu = 0; mu < 4; ++mu) job.face_lanes[mu] = layout_.face_lanes(mu);
  return job;
}

void hopping::run(const hop_job& job, std::span<const std::int32_t> vectors, bool dagger) const {
  if (vectors.empty()) return;
  team_->run([&](int thread) {
    const auto share = team_->share(vectors.size(), thread);
    hop_job mine = job;
    mine.vectors = vectors.data() + share.begin;
    mine.count = static_cast<std::int32_t>(share.end - share.begin);
    if (how_.kind == dslash::wilson) {
      kernels_->wilson_hop(mine, dagger);
    } else {
      (far_links_ ? kernels_->naik_hop : kernels_->staggered_hop)(mine);
    }
  });
  const double sites = static_cast<double>(vectors.size()) * layout_.lanes();
  kernel_cost cost = hop_cost(how_, kernels_->kind, sites, job.rhs);
  add_factors(cost, job, kernels_->kind, sites);
  ctx().work(cost);
}

void hopping::start(const lane_field& in, bool dagger) {
  const trace_span span(recorder(), "pack and start");
  ctx().work(one_launch);
  exchanges_[in.parity()].start([&](int direction, std::byte* target) {
    const auto vectors = layout_.face_vectors(in.parity(), direction);
    const int lanes = layout_.face_lanes(direction % 4);
    const bool streaming = exchanges_[in.parity()].streaming(direction) &&
                           reinterpret_cast<std::uintptr_t>(target) % line_bytes == 0;
    const std::size_t entry = face_bytes(how_.kind, *kernels_, in.rhs()) * lanes;
    team_->run([&](int thread) {
      const auto share = team_->share(vectors.size(), thread);
      const pack_job job{in.data(),
                         target + share.begin * entry,
                         kernels_->kind == field_precision::half,
                         in.rhs(),
                         direction,
                         vectors.data() + share.begin,
                         static_cast<std::int32_t>(share.end - share.begin),
                         layout_.face_lane_list(direction).data(),
                         lanes,
                         streaming};
      how_.kind == dslash::wilson ? kernels_->wilson_pack(job, dagger)
                                  : kernels_->staggered_pack(job);
    });
    ctx().work(
        pack_cost(how_, kernels_->kind, static_cast<double>(vectors.size()) * lanes, in.rhs()));
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

void hopping::run_traced(const char* what, const hop_job& job,
                         std::span<const std::int32_t> vectors, bool dagger) const {
  const trace_span span(recorder(), what);
  ctx().work(one_launch);
  run(job, vectors, dagger);
}

void hopping::run_fused(hop_job& job, int parity, bool dagger) {
  const vector_order& order = orders_[1 - parity];
  run_traced("hop in the interior", job, order.interior(), dagger);
  wait(parity);
  find_ghosts(job, parity, exchanges_[parity].ghost_mask());
  run_traced("hop on the boundary", job, order.boundary(), dagger);
}

void hopping::run_as_faces_arrive(hop_job& job, int parity, bool dagger) {
  const vector_order& order = orders_[1 - parity];
  run_traced("hop in the interior", job, order.interior(), dagger);
  face_exchange& exchange = exchanges_[parity];
  unsigned missing = exchange.ghost_mask();
  while (missing != 0) {
    const auto begin = ctx().now();
    unsigned arrived = exchange.arrived(missing);
    if (arrived == 0) arrived = exchange.wait_for_one(missing);
    time_.halo_wait += ctx().now() - begin;
    const unsigned missing_before = missing;
    missing &= ~arrived;
    find_ghosts(job, parity, arrived);
    const trace_span span(recorder(), "hop on the boundary");
    ctx().work(one_launch);
    for (const auto& g : order.groups()) {
      const bool ready = (g.faces & missing) == 0;
      const bool was_ready = (g.faces & missing_before) == 0;
      if (ready && !was_ready) run(job, g.vectors, dagger);
    }
  }
  wait(parity);
}

void hopping::apply(lane_field& out, const lane_field& in, const terms& what, bool dagger) {
  const auto begin = ctx().now();
  const auto waited_before = time_.halo_wait;
  const int parity = in.parity();
  hop_job job = make_job(out, in, what);
  start(in, dagger);
  if (how_.overlap == overlap::none || exchanges_[parity].empty()) {
    wait(parity);
    find_ghosts(job, parity, exchanges_[parity].ghost_mask());
    run_traced("hop", job, orders_[out.parity()].all(), dagger);
  } else if (how_.overlap == overlap::fused) {
    run_fused(job, parity, dagger);
  } else {
    run_as_faces_arrive(job, parity, dagger);
  }
  time_.compute += ctx().now() - begin - (time_.halo_wait - waited_before);
}

}  // namespace onehop
