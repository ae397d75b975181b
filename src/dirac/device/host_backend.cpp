#include "dirac/device/host_backend.hpp"

#include "dirac/device/fill_table.hpp"
#include "dirac/device/sums.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <utility>
#include <vector>

namespace onehop::device {
namespace {

using piece_of_work = std::function<void()>;

class host_recording : public recording {
 public:
  std::vector<piece_of_work> work;
};

class host_stream : public stream {
 public:
  void run(piece_of_work work) { recorded_ ? recorded_->work.push_back(std::move(work)) : work(); }

  void copy_in(void* to, const void* from, std::size_t bytes) override { copy(to, from, bytes); }
  void copy_out(void* to, const void* from, std::size_t bytes) override { copy(to, from, bytes); }
  void copy(void* to, const void* from, std::size_t bytes) override {
    run([=] { std::memcpy(to, from, bytes); });
  }
  void clear(void* to, std::size_t bytes) override {
    run([=] { std::memset(to, 0, bytes); });
  }
  void follow(stream&) override {}
  void synchronise() override {}
  void begin_recording() override { recorded_ = std::make_unique<host_recording>(); }
  std::unique_ptr<recording> end_recording() override { return std::move(recorded_); }
  void replay(recording& what) override {
    for (const piece_of_work& work : static_cast<host_recording&>(what).work) work();
  }

 private:
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
  static void run(stream& on, const Kernel& kernel, std::int32_t count, two_sums* partials) {
    static_cast<host_stream&>(on).run([=] {
      for (std::int32_t begin = 0; begin < count; begin += group_sites) {
        std::array<two_sums, group_sites> terms{};
        const std::int32_t end = std::min(begin + group_sites, count);
        for (std::int32_t site = begin; site < end; ++site) terms[site - begin] = kernel(site);
        if (partials != nullptr) partials[begin / group_sites] = tree(terms);
      }
    });
  }

  static void finish_sums(stream& on, const sums_job& job) {
    static_cast<host_stream&>(on).run([=] {
      std::array<two_sums, adders> terms{};
      for (std::int32_t k = 0; k < job.groups; ++k) {
        terms[k % adders].first += job.partials[k].first;
        terms[k % adders].second += job.partials[k].second;
      }
      *job.result = tree(terms);
    });
  }
};

template <class Stored>
kernel_table make_table(storage kind) {
  kernel_table table{};
  table.kind = kind;
  fill_wilson<host_launcher, Stored>(table);
  fill_wilson_dagger<host_launcher, Stored>(table);
  fill_staggered<host_launcher, Stored>(table);
  fill_algebra<host_launcher, Stored>(table);
  return table;
}

class host_backend : public backend {
 public:
  std::string name() const override { return "host"; }
  std::unique_ptr<stream> make_stream() override { return std::make_unique<host_stream>(); }
  const kernel_table& kernels(storage kind) override {
    return tables_[static_cast<std::size_t>(kind)];
  }
  void* allocate(std::size_t bytes) override {
    const std::size_t rounded = (bytes + 255) / 256 * 256 + 256;
    void* memory = std::aligned_alloc(256, rounded);
    if (memory == nullptr) throw std::bad_alloc();
    return std::memset(memory, 0, rounded);
  }
  void release(void* memory) noexcept override { std::free(memory); }
  void* allocate_host(std::size_t bytes) override { return allocate(bytes); }
  void release_host(void* memory) noexcept override { release(memory); }

 private:
  std::array<kernel_table, 3> tables_ = {make_table<double>(storage::real64),
                                         make_table<float>(storage::real32),
                                         make_table<std::int16_t>(storage::fixed16)};
};

}  // namespace

std::unique_ptr<backend> make_host_backend() { return std::make_unique<host_backend>(); }

}  // namespace onehop::device
