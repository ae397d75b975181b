#include "simulation.hpp"

#include <onehop/error.hpp>

#include <algorithm>
#include <chrono>

namespace spin_glass {
namespace {

template <class Real>
class simulation_in final : public simulation {
 public:
  simulation_in(const onehop::cartesian& ranks, const simulation_options& how) : seed_(how.seed) {
    const checkerboard block(ranks, sizeof(Real));
    volume_ = static_cast<double>(onehop::volume(ranks.extents()));
    const auto bonds =
        std::make_shared<couplings<Real>>(block, random_bonds(how.kind, how.seed, ranks.extents()));
    for (int replica = 0; replica < how.replicas; ++replica) {
      replicas_.emplace_back(bonds, replica, how.how);
      replicas_.back().set_hot(how.seed);
    }
  }

  std::vector<sweep_energies> sweep(std::span<const double> betas, int overrelaxations) override {
    if (betas.size() != replicas_.size())
      throw onehop::usage_error("there are " + std::to_string(replicas_.size()) +
                                " replicas, but " + std::to_string(betas.size()) + " betas");
    if (!std::ranges::all_of(betas, [](double beta) { return beta >= 0; }))
      throw onehop::usage_error("a beta is below 0");
    std::vector<sweep_energies> found;
    for (std::size_t k = 0; k < replicas_.size(); ++k) {
      sampler<Real>& spins = replicas_[k];
      double before = 0, after = 0;
      timed(times_.heatbath_s, [&] { spins.heatbath(betas[k], seed_, sweeps_); });
      timed(times_.energies_s, [&] { after = before = spins.energy(); });
      if (overrelaxations > 0) {
        const double halo_s = spins.times().halo_s;
        timed(times_.overrelaxation_s, [&] { spins.overrelax_both(overrelaxations); });
        times_.halo_s += spins.times().halo_s - halo_s;
        timed(times_.energies_s, [&] { after = spins.energy(); });
      }
      found.push_back({before, after});
    }
    ++sweeps_;
    updates_ += volume_ * static_cast<double>(replicas_.size()) * overrelaxations;
    return found;
  }

  std::vector<overlap_susceptibility> susceptibilities() const override {
    std::vector<overlap_susceptibility> found;
    for (std::size_t k = 0; k + 1 < replicas_.size(); k += 2)
      found.push_back(susceptibility_of(replicas_[k].spins(), replicas_[k + 1].spins()));
    return found;
  }

  const simulation_times& times() const noexcept override { return times_; }
  double updates() const noexcept override { return updates_; }
  std::string kernels() const override {
    const row_kernels<Real>& used = replicas_.front().used();
    return std::string(used.isa) + ", " + std::to_string(used.lanes) + " lanes";
  }

 private:
  template <class Work>
  void timed(double& total_s, const Work& work) {
    const onehop::context& job = replicas_.front().ranks().context();
    const auto begin = job.now();
    work();
    total_s += std::chrono::duration<double>(job.now() - begin).count();
  }

  std::uint64_t seed_, sweeps_ = 0;
  double volume_, updates_ = 0;
  simulation_times times_;
  std::vector<sampler<Real>> replicas_;
};

}  // namespace

std::unique_ptr<simulation> make_simulation(const onehop::cartesian& ranks,
                                            const simulation_options& how) {
  if (how.replicas < 1 || how.replicas > 65535)
    throw onehop::usage_error(std::to_string(how.replicas) + " replicas; 1 to 65535 are possible");
  if (how.numbers == precision::single) return std::make_unique<simulation_in<float>>(ranks, how);
  return std::make_unique<simulation_in<double>>(ranks, how);
}

}  // namespace spin_glass
