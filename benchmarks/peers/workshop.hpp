#pragma once
/// A workshop knows the contenders of a peer program by the names of pattern and method.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/carried.hpp"
#include "benchmarks/passed_items.hpp"
#include "benchmarks/ring_faces.hpp"
#include "benchmarks/summed.hpp"
#include "benchmarks/touched_halo.hpp"

namespace onehop::bench {

class workshop {
 public:
  using maker = std::function<std::unique_ptr<contender>(const ring_faces&)>;

  /// Adds a halo; if Exchange has fits(faces), only for faces that fit.
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
  /// `Reduction` is constructed from the number of doubles.
  template <class Reduction>
  void add_allreduce(const std::string& method) {
    add("allreduce", method, [](const ring_faces& faces) -> std::unique_ptr<contender> {
      const std::size_t bytes = faces.bytes.front();
      return std::make_unique<summed<Reduction>>(Reduction(bytes / sizeof(double)), faces.rank,
                                                 faces.size, bytes);
    });
  }

  /// `Carry` is constructed from the rank and its blocks, which `blocks` returns for rank, ranks
  /// and bytes.
  template <class Carry>
  void add_carried(const char* pattern, const std::string& method,
                   carried_blocks (*blocks)(int, int, std::size_t)) {
    add(pattern, method, [blocks](const ring_faces& faces) -> std::unique_ptr<contender> {
      const std::size_t bytes = faces.bytes.front();
      carried_blocks all = blocks(faces.rank, faces.size, bytes);
      Carry carry(faces.rank, all);
      return std::make_unique<carried<Carry>>(std::move(carry), std::move(all), bytes);
    });
  }
  template <class Reduction>
  void add_reduce_scatter(const std::string& method) {
    add("reduce_scatter", method, [](const ring_faces& faces) -> std::unique_ptr<contender> {
      const std::size_t bytes = faces.bytes.front();
      return std::make_unique<scattered_sum<Reduction>>(Reduction(bytes / sizeof(double)),
                                                        faces.rank, faces.size, bytes);
    });
  }
  /// `Way` is constructed from faces, of which there must be one.
  template <class Way, class Make>
  void add_stream(const std::string& method, Make make) {
    add("stream", method, [make](const ring_faces& faces) -> std::unique_ptr<contender> {
      return std::make_unique<passed_items<Way>>(make(faces), faces.rank, faces.size,
                                                 faces.bytes.front());
    });
  }
  template <class Way>
  void add_stream(const std::string& method) {
    add_stream<Way>(method, [](const ring_faces& faces) { return Way(faces); });
  }
  template <class Barrier>
  void add_barrier(const std::string& method) {
    add("barrier", method, [](const ring_faces&) { return std::make_unique<Barrier>(); });
  }

  std::string methods(const std::string& pattern) const {
    std::string list;
    for (const entry& one : entries_)
      if (one.pattern == pattern) list += (list.empty() ? "" : " ") + one.method;
    return list;
  }
  /// Makes a contender; null if the method is not known or does not fit.
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
