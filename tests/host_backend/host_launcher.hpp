#pragma once
/// Device kernels run on the host like this: everything at once, or recorded to be run again.

#include "device/backend.hpp"
#include "dirac/device/kernel_table.hpp"
#include "dirac/device/sums.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace onehop::device {

/// Makes the kernels for one precision; it is compiled once for each.
template <class Stored>
kernel_table make_host_table(field_precision kind);

using piece_of_work = std::function<void()>;

class host_recording : public recording {
 public:
  std::vector<piece_of_work> work;
};

class host_stream : public stream {
 public:
  void run(piece_of_work work) {
    recorded_ ? recorded_->work.push_back(std::move(work)) : enqueue(std::move(work));
  }

  void copy_in(void* to, const void* from, std::size_t bytes) override { copy(to, from, bytes); }
  void copy_out(void* to, const void* from, std::size_t bytes) override { copy(to, from, bytes); }
  // std::copy_n also copies nothing from a null pointer, which memcpy does not allow.
  void copy(void* to, const void* from, std::size_t bytes) override {
    run([=] {
      std::copy_n(static_cast<const std::byte*>(from), bytes, static_cast<std::byte*>(to));
    });
  }
  void clear(void* to, std::size_t bytes) override {
    run([=] { std::fill_n(static_cast<std::byte*>(to), bytes, std::byte{}); });
  }
  void follow(stream&) override {}
  void synchronise() override {}
  void begin_recording() override { recorded_ = std::make_unique<host_recording>(); }
  std::unique_ptr<recording> end_recording() override { return std::move(recorded_); }
  void replay(recording& what) override {
    for (const piece_of_work& work : static_cast<host_recording&>(what).work) enqueue(work);
  }
  void* handle() const noexcept override { return nullptr; }

 private:
  /// Does the work at once; a stream that defers it overrides this.
  virtual void enqueue(piece_of_work work) { work(); }

  std::unique_ptr<host_recording> recorded_;  ///< null while nothing is recorded
};

template <std::size_t Count>
two_sums tree(std::array<two_sums, Count>& terms) {
  for (std::size_t half = Count / 2; half > 0; half /= 2) {
    for (std::size_t k = 0; k < half; ++k) {
      terms[k].first += terms[k + half].first;
      terms[k].second += terms[k + half].second;
    }
  }
  return terms[0];
}

struct host_launcher {
  template <class Kernel>
  static void run(stream& on, const Kernel& kernel, std::int32_t count, std::int32_t rhs,
                  two_sums* partials) {
    static_cast<host_stream&>(on).run([=] {
      for (std::int32_t number = 0; number < groups_of(count) * rhs; ++number) {
        const std::int32_t begin = number / rhs * group_sites;
        const std::int32_t end = std::min(begin + group_sites, count);
        std::array<two_sums, group_sites> terms{};
        for (std::int32_t site = begin; site < end; ++site) {
          terms[site - begin] = kernel(site, number % rhs);
        }
        if (partials != nullptr) partials[number] = tree(terms);
      }
    });
  }

  static void finish_sums(stream& on, const sums_job& job) {
    static_cast<host_stream&>(on).run([=] {
      for (std::int32_t n = 0; n < job.rhs; ++n) {
        std::array<two_sums, adders> terms{};
        for (std::int32_t k = 0; k < job.groups; ++k) {
          const two_sums& group = job.partials[k * job.rhs + n];
          terms[k % adders].first += group.first;
          terms[k % adders].second += group.second;
        }
        job.result.of(n) = tree(terms);
      }
    });
  }
};

}  // namespace onehop::device
