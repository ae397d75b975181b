#pragma once
/// Which contenders a peer program has, by name of pattern and method.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/ring_faces.hpp"
#include "benchmarks/summed.hpp"
#include "benchmarks/touched_halo.hpp"

namespace onehop::bench {

class workshop {
 public:
  using maker = std::function<std::unique_ptr<contender>(const ring_faces&)>;

  /// For faces that fit, if Exchange has fits(faces).
  template <class Exchange, class Make>
  void add_halo(const std::string& method, Make make) {
    add("halo", method, [make](const ring_faces& faces) -> std::unique_ptr<contender> {
      if constexpr (requires { Exchange::fits(faces); })
        if (!Exchange::fits(faces)) return nullptr;
      std::vector<Exchange> one;
      one.push_back(make(faces));
      return std::make_unique<touched_halo<Exchange>>(std::move(one));
    });
  }
  template <class Exchange>
  void add_halo(const std::string& method) {
    add_halo<Exchange>(method, [](const ring_faces& faces) { return Exchange(faces); });
  }
  /// `Reduction` is made from the number of doubles.
  template <class Reduction>
  void add_allreduce(const std::string& method) {
    add("allreduce", method, [](const ring_faces& faces) -> std::unique_ptr<contender> {
      const std::size_t bytes = faces.bytes.front();
      return std::make_unique<summed<Reduction>>(Reduction(bytes / sizeof(double)), faces.rank,
                                                 faces.size, bytes);
    });
  }

  std::string methods(const std::string& pattern) const {
    std::string list;
    for (const entry& one : entries_)
      if (one.pattern == pattern) list += (list.empty() ? "" : " ") + one.method;
    return list;
  }
  /// Null for what is not known or does not fit.
  std::unique_ptr<contender> make(const std::string& pattern, const std::string& method,
                                  const ring_faces& faces) const {
    for (const entry& one : entries_)
      if (one.pattern == pattern && one.method == method) return one.make(faces);
    return nullptr;
  }

 private:
  struct entry {
    std::string pattern, method;
    maker make;
  };
  void add(const char* pattern, const std::string& method, maker make) {
    entries_.push_back({pattern, method, std::move(make)});
  }
  std::vector<entry> entries_;
};

}  // namespace onehop::bench
