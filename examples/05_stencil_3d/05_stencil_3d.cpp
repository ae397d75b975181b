// Heat in a periodic box, divided along x, y and z: six faces a step, sent as they lie in memory.
#include <onehop/collectives.hpp>
#include <onehop/geometry.hpp>
#include <onehop/put_chain.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

constexpr onehop::coordinate size = {24, 16, 32, 1};  // a lattice of three dimensions
constexpr int steps = 50;

class box {
 public:
  explicit box(const onehop::context& job)
      : ranks_(job, size),
        n_(ranks_.local()),
        field_(static_cast<std::size_t>(n_[0] + 2) * (n_[1] + 2) * (n_[2] + 2)),
        next_(field_),
        window_(onehop::window::allocate(job, 2 * 8 * (area(0) + area(1) + area(2)))),
        chain_(job, window_) {
    std::size_t offset = 0;
    for (int mu = 0; mu < 3; ++mu) {
      const std::size_t bytes = 8 * area(mu);
      const int ahead = ranks_.neighbour(mu, 1), behind = ranks_.neighbour(mu, -1);
      // My first slice is the ghost ahead of the rank behind me, and the other way round. Origins
      // come in the order of the pushes that they answer.
      to_behind_[mu] = push(mu, 1, behind, offset);
      to_ahead_[mu] = push(mu, n_[mu], ahead, offset + bytes);
      from_ahead_[mu] = chain_.add_origin(ahead);
      from_behind_[mu] = chain_.add_origin(behind);
      offset += 2 * bytes;
    }
    chain_.commit();
  }

  void set(double (*initial)(int x, int y, int z)) {
    const auto& o = ranks_.origin();
    for_each([&](int x, int y, int z) {
      at(x, y, z) = initial(x - 1 + o[0], y - 1 + o[1], z - 1 + o[2]);
    });
  }

  void step() {
    pack_x(to_behind_[0], 1);
    pack_x(to_ahead_[0], n_[0]);
    chain_.start();
    chain_.wait();
    for (int mu = 0; mu < 3; ++mu) {
      unpack(mu, n_[mu] + 1, from_ahead_[mu]);
      unpack(mu, 0, from_behind_[mu]);
    }
    for_each([&](int x, int y, int z) {
      const double around = at(x + 1, y, z) + at(x - 1, y, z) + at(x, y + 1, z) + at(x, y - 1, z) +
                            at(x, y, z + 1) + at(x, y, z - 1);
      next_[index(x, y, z)] = 0.4 * at(x, y, z) + 0.1 * around;
    });
    // The chain reads its sources where they are, so the new values go to where the old ones were.
    for_each([&](int x, int y, int z) { at(x, y, z) = next_[index(x, y, z)]; });
  }

  std::array<double, 2> sums() {
    std::array<double, 2> result{};
    for_each([&](int x, int y, int z) {
      result[0] += at(x, y, z);
      result[1] += at(x, y, z) * at(x, y, z);
    });
    return result;
  }

 private:
  std::size_t index(int x, int y, int z) const {
    return (static_cast<std::size_t>(z) * (n_[1] + 2) + y) * (n_[0] + 2) + x;
  }
  double& at(int x, int y, int z) { return field_[index(x, y, z)]; }
  std::size_t area(int mu) const { return ranks_.local_volume() / n_[mu]; }

  template <class Visit>
  void for_each(const Visit& visit) {
    for (int z = 1; z <= n_[2]; ++z)
      for (int y = 1; y <= n_[1]; ++y)
        for (int x = 1; x <= n_[0]; ++x) visit(x, y, z);
  }

  /// A z slice is rows a row apart, a y slice rows a plane apart: the chain reads both in place. An
  /// x slice has two distances and is packed.
  onehop::put_slot push(int mu, int slice, int target, std::size_t offset) {
    if (mu == 0) return chain_.push(onehop::put::packed(8 * area(0), target, offset));
    const std::size_t first = mu == 1 ? index(1, slice, 1) : index(1, 1, slice);
    const std::size_t stride = mu == 1 ? index(0, 0, 1) : index(0, 1, 0);
    const onehop::local_view rows{
        reinterpret_cast<const std::byte*>(&field_[first]), 8 * static_cast<std::size_t>(n_[0]),
        static_cast<std::size_t>(mu == 1 ? n_[2] : n_[1]), static_cast<std::ptrdiff_t>(8 * stride)};
    return chain_.push({rows, target, offset});
  }

  /// Visits a slice in the order in which it travels.
  template <class Visit>
  void for_slice(int mu, int slice, const Visit& visit) {
    const int across = mu == 0 ? 1 : 0, along = mu == 2 ? 1 : 2;
    for (int b = 1; b <= n_[along]; ++b) {
      for (int a = 1; a <= n_[across]; ++a) {
        std::array<int, 3> site{};
        site[mu] = slice;
        site[across] = a;
        site[along] = b;
        visit(at(site[0], site[1], site[2]));
      }
    }
  }

  void pack_x(onehop::put_slot slot, int slice) {
    auto* out = reinterpret_cast<double*>(chain_.target_view(slot).data());
    for_slice(0, slice, [&](double& value) { *out++ = value; });
  }

  void unpack(int mu, int slice, onehop::notification arrival) {
    const auto* in = reinterpret_cast<const double*>(chain_.arrived(arrival).data());
    for_slice(mu, slice, [&](double& value) { value = *in++; });
  }

  onehop::geometry ranks_;
  onehop::coordinate n_;
  std::vector<double> field_, next_;
  onehop::window window_;
  onehop::put_chain chain_;
  std::array<onehop::put_slot, 3> to_behind_, to_ahead_;
  std::array<onehop::notification, 3> from_ahead_, from_behind_;
};

int main() {
  const onehop::context job = onehop::join();
  box heat(job);
  heat.set([](int x, int y, int z) { return (x * 7 + y * 5 + z * 3) % 11 == 0 ? 1.0 : 0.0; });
  for (int n = 0; n < steps; ++n) heat.step();
  auto sums = heat.sums();
  onehop::allreduce_sum(job, sums);
  if (job.rank() == 0) {
    std::printf("heat %.6f, sum of squares %.6f after %d steps\n", sums[0], sums[1], steps);
  }
}
