#include "dirac/device/hopping.hpp"

#include "dirac/device/sums.hpp"

#include <vector>

namespace onehop::device {

hopping::hopping(backend& where, const hop_links& of, const hop_settings& how,
                 field_precision precision)
    : where_(&where),
      how_(how),
      precision_(precision),
      layout_(of.geometry(), 1, reach(how.kind)),
      map_(make_site_map(of.geometry(), how.kind, how.antiperiodic)),
      kernels_(&where.kernels(precision)),
      count_(layout_.vectors(0)),
      copies_(where.make_stream()),
      links_(where, *copies_, map_, of, 1, how, precision),
      halos_{halo(where, layout_, 0, face_reals(how.kind), arithmetic_bytes(precision), how.rhs),
             halo(where, layout_, 1, face_reals(how.kind), arithmetic_bytes(precision), how.rhs)},
      partials_(where, static_cast<std::size_t>(groups_of(count_)) * how.rhs * sizeof(two_sums)) {
  if (is_improved(how.kind)) far_links_.emplace(where, *copies_, map_, of, 3, how, precision);
  for (int parity = 0; parity < 2; ++parity) {
    std::vector<std::int32_t> sites;
    for (std::int32_t site = 0; site < count_; ++site) {
      if (map_.leaves_anywhere(map_.place(site, parity))) sites.push_back(site);
    }
    boundary_count_[parity] = static_cast<std::int32_t>(sites.size());
    boundary_[parity] = memory(where, sites.size() * sizeof(std::int32_t));
    copies_->copy_in(boundary_[parity].data(), sites.data(), sites.size() * sizeof(std::int32_t));
  }
  copies_->synchronise();
}

std::size_t hopping::bytes(bool with_addend, int rhs) const noexcept {
  const std::size_t scale = precision_ == field_precision::half ? sizeof(float) : 0;
  const std::size_t row = 2 * components(how_.kind) * bytes_of_real(precision_) + scale;
  const std::size_t hops = far_links_ ? 16 : 8;
  return links_.bytes(hops * static_cast<std::size_t>(count_)) +
         (with_addend ? 3 : 2) * row * count_ * rhs;
}

hop_job hopping::make_job(field& out, const field& in, int parity, const terms& what) const {
  hop_job job{};
  job.map = map_;
  job.parity = parity;
  job.links = links_.view();
  if (far_links_) job.far_links = far_links_->view();
  job.in = in.view();
  job.out = out.view();
  if (what.addend != nullptr) job.addend = what.addend->view();
  job.hop_scale = what.hop_scale;
  job.addend_factor = what.addend_factor;
  job.result_factor = what.result_factor;
  halos_[1 - parity].find(job);
  job.part = sites::all;
  job.count = count_;
  job.rhs = in.rhs();
  job.active = what.active;
  return job;
}

void hopping::run(stream& on, const hop_job& job, bool dagger) const {
  if (job.count == 0) return;
  if (!job.addend_factor.is_number() || !job.result_factor.is_number()) {
    kernels_->factored_hop[dagger](on, job, how_.recon);
    return;
  }
  hop_job plain = job;
  plain.hop_scale *= job.result_factor.scale;
  plain.addend_factor.scale *= job.result_factor.scale;
  if (far_links_) {
    kernels_->far_hop(on, plain);
  } else if (how_.kind == dslash::wilson) {
    kernels_->wilson_hop[dagger](on, plain, how_.recon);
  } else {
    kernels_->staggered_hop(on, plain, how_.recon);
  }
}

void hopping::synchronise(stream& on) {
  for (halo& faces : halos_) faces.synchronise();
  on.synchronise();
}

void hopping::multiply(stream& on, field& out, const field& in, const site_factor& factor) const {
  kernels_->multiply(on, {out.view(), in.view(), factor, count_, in.rhs()});
}

void hopping::finish_sums(stream& on, int rhs, const per_rhs<two_sums>& result) const {
  kernels_->finish_sums(on, {partials(), groups_of(count_), rhs, result});
}

field_job hopping::sums_job_of(const field& x, const rhs_switches& active) const {
  field_job job{};
  job.x = x.view();
  job.count = count_;
  job.rhs = x.rhs();
  job.components = x.components();
  job.partials = partials();
  job.active = active;
  return job;
}

void hopping::norm_and_dot(stream& on, const field& x, const field* w,
                           const per_rhs<two_sums>& result, const rhs_switches& active) {
  field_job job = sums_job_of(x, active);
  if (w != nullptr) job.w = w->view();
  kernels_->norm_and_dot(on, job);
  finish_sums(on, x.rhs(), result);
}

void hopping::complex_dot(stream& on, const field& x, const field& w,
                          const per_rhs<two_sums>& result, const rhs_switches& active) {
  field_job job = sums_job_of(x, active);
  job.w = w.view();
  kernels_->complex_dot(on, job);
  finish_sums(on, x.rhs(), result);
}

void hopping::apply(stream& on, field& out, const field& in, int parity, const terms& what,
                    bool dagger) {
  hop_job job = make_job(out, in, parity, what);
  halo& faces = halos_[1 - parity];
  const bool sums = what.sums.first != nullptr;
  if (faces.empty()) {
    job.partials = sums ? partials() : nullptr;
    run(on, job, dagger);
    if (sums) finish_sums(on, in.rhs(), what.sums);
    return;
  }
  faces.send(*copies_, on, in, what.active, [&](const pack_job& face) {
    if (how_.kind == dslash::wilson) {
      kernels_->wilson_pack[dagger](*copies_, face);
    } else {
      kernels_->staggered_pack(*copies_, face);
    }
  });
  const bool overlapped = how_.overlap != overlap::none;
  if (overlapped) {
    job.part = sites::interior;
    run(on, job, dagger);
  }
  faces.receive(*copies_, on);
  if (overlapped) {
    job.part = sites::list;
    job.list = boundary_[parity].as<std::int32_t>();
    job.count = boundary_count_[parity];
  }
  run(on, job, dagger);
  // Groups of the sums span interior and boundary, so the sums need a separate pass.
  if (sums) norm_and_dot(on, out, what.addend, what.sums, what.active);
}

}  // namespace onehop::device
