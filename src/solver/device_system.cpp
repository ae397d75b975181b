#include "solver/device_system.hpp"

#include "base/seconds.hpp"

#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

namespace onehop {
namespace {

std::optional<device_operator> make_coarse(device::backend& where, const hop_links& links,
                                           const solve_options& options) {
  if (!iterates_coarsely(options)) return std::nullopt;
  return std::optional<device_operator>(std::in_place, where, links, options,
                                        coarse_storage(options.precision), options.recon);
}

/// Returns the bytes of a right-hand side in canonical order.
std::size_t canonical_bytes(const device_operator& op) {
  const device::hopping& hop = op.hop();
  return hop.shape().local_volume() * components(hop.how().kind) * sizeof(std::complex<double>);
}

/// Returns one parity's share of a right-hand side in canonical order.
device::canonical_job half_of(const device::memory& canonical, const device::hopping& hop,
                              int parity, const device::field& half, int n) {
  return {hop.map(), parity, half.view(n), canonical.as<double>(), half.count(), half.components()};
}

static_assert(device_operator::solved == 1);

}  // namespace

device_system::device_system(std::unique_ptr<device::backend> where, const hop_links& links,
                             const solve_options& options)
    : linear_system(options),
      where_(std::move(where)),
      work_(where_->make_stream()),
      fine_(*where_, links, options, fine_storage(options.precision), fine_reals(options)),
      coarse_(make_coarse(*where_, links, options)),
      krylov_(make_device_krylov(options.solver, iterating())),
      b_even_(fine_.make_field()),
      b_(fine_.make_field()),
      x_even_(fine_.make_field()),
      x_(fine_.make_field()),
      r_(fine_.make_field()),
      found_(coarse_ ? std::optional(fine_.make_field()) : std::nullopt),
      open_(*where_, options.rhs),
      canonical_(*where_, canonical_bytes(fine_)),
      host_canonical_(*where_, canonical_bytes(fine_), device::memory::kind::host) {}

void device_system::reshape(int rhs) {
  if (rhs == fine_.rhs()) return;
  fine_.reshape(rhs);
  if (coarse_) coarse_->reshape(rhs);
  krylov_->reshape(rhs);
  for (device::field* each : {&b_even_, &b_, &x_even_, &x_, &r_}) each->reshape(rhs);
  if (found_) found_->reshape(rhs);
}

void device_system::choose(std::span<const int> numbers) {
  std::vector<bool> chosen(static_cast<std::size_t>(fine_.rhs()));
  for (const int number : numbers) chosen[static_cast<std::size_t>(number)] = true;
  open_.choose(*work_, chosen);
}

void device_system::choose_all() {
  open_.choose(*work_, std::vector<bool>(static_cast<std::size_t>(fine_.rhs()), true));
}

void device_system::write(field canonical, device::field& even, device::field& odd) {
  const auto& hop = fine_.hop();
  const std::size_t size = canonical.size() / static_cast<std::size_t>(even.rhs());
  for (int k = 0; k < even.rhs(); ++k) {
    const auto one = canonical.subspan(k * size, size);
    std::memcpy(host_canonical_.data(), one.data(), one.size_bytes());
    work_->copy_in(canonical_.data(), host_canonical_.data(), one.size_bytes());
    hop.kernels().spread(*work_, half_of(canonical_, hop, 0, even, k));
    hop.kernels().spread(*work_, half_of(canonical_, hop, 1, odd, k));
    work_->synchronise();
  }
}

void device_system::read(const device::field& even, const device::field& odd, solution canonical) {
  const auto& hop = fine_.hop();
  const std::size_t size = canonical.size() / static_cast<std::size_t>(even.rhs());
  for (int k = 0; k < even.rhs(); ++k) {
    const auto one = canonical.subspan(k * size, size);
    hop.kernels().collect(*work_, half_of(canonical_, hop, 0, even, k));
    hop.kernels().collect(*work_, half_of(canonical_, hop, 1, odd, k));
    work_->copy_out(host_canonical_.data(), canonical_.data(), one.size_bytes());
    work_->synchronise();
    std::memcpy(one.data(), host_canonical_.data(), one.size_bytes());
  }
}

rhs_values device_system::load(field sources) {
  reshape(static_cast<int>(sources.size_bytes() / canonical_bytes(fine_)));
  device::field& b_odd = r_;  // The residual takes its place.
  write(sources, b_even_, b_odd);
  begin_ = fine_.hop().shape().context().now();
  choose_all();
  rhs_values norms2 = fine_.norm2(*work_, b_even_, open_);
  const rhs_values others2 = fine_.norm2(*work_, b_odd, open_);
  for (std::size_t k = 0; k < norms2.size(); ++k) norms2[k] += others2[k];
  fine_.prepare(*work_, b_, b_even_, b_odd, open_);
  x_.clear(*work_);
  fine_.convert(*work_, r_, b_, open_);
  return roots(std::move(norms2));
}

void device_system::store(solution solutions) {
  choose_all();
  fine_.reconstruct(*work_, x_even_, x_, b_even_, open_);
  fine_.hop().synchronise(*work_);
  spent_ += fine_.hop().shape().context().now() - begin_;
  read(x_even_, x_, solutions);
}

void device_system::add_found() {
  const device::field* found = &krylov_->solution();
  if (coarse_) {
    fine_.convert(*work_, *found_, *found, open_);
    found = &*found_;
  }
  fine_.axpy(*work_, x_, 1.0, *found, open_);
  krylov_->solution().clear(*work_);
}

rhs_values device_system::compute_residual(const rhs_mask& which) {
  fine_.schur(*work_, r_, x_, which);
  fine_.xpay(*work_, r_, -1.0, b_, which);
  return fine_.norm2(*work_, r_, which);
}

krylov_results device_system::iterate(std::span<const int> numbers, const krylov_limits& limits) {
  choose(numbers);
  iterating().convert(*work_, krylov_->residual(), r_, open_);
  krylov_->solution().clear(*work_);
  // The corrections of right-hand sides that are not due are added too; their next ones start at
  // zero.
  const auto update = [this](const rhs_mask& due) {
    add_found();
    rhs_values norms2 = compute_residual(due);
    iterating().convert(*work_, krylov_->residual(), r_, due);
    return norms2;
  };
  return picked(krylov_->run(*work_, open_, limits, update), numbers);
}

rhs_values device_system::finish(std::span<const int> numbers) {
  add_found();
  return roots(picked(compute_residual(open_), numbers));
}

time_split device_system::time_spent() const {
  time_split time;
  const auto add = [&time](const device_operator& op) {
    time.halo_wait_s += seconds(op.hop().halo_wait());
    time.reduction_s += seconds(op.reduction_time());
  };
  add(fine_);
  if (coarse_) add(*coarse_);
  time.operator_s = seconds(spent_) - time.halo_wait_s - time.reduction_s;
  return time;
}

}  // namespace onehop
