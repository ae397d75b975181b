#pragma once
/// Carries what is no put of a chain, by the whole protocol of its size: request, grant, blocks and
/// notice.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "transport/virtual/messages.hpp"
#include "transport/virtual/routes.hpp"

namespace onehop::virtual_machine {

struct parcel {
  int origin = 0, target = 0;
  std::size_t bytes = 0;
  const route* way = nullptr;
  bool first_of_chain = true;
  std::uint64_t address = 0;  ///< at the target
};

/// Who is told of parcels, by the keys that they were sent with.
class recipient {
 public:
  virtual ~recipient() = default;
  virtual void left(std::uint64_t key) = 0;  ///< its source may be overwritten
  virtual void came(std::uint64_t key) = 0;
};

/// Both sides name a parcel by the same key, which is no other's until the parcel has come.
class carrier final : public addressee {
 public:
  carrier(post_office& post, const routes& ways, recipient& who)
      : post_(post), ways_(ways), who_(who) {}

  /// The target has room for it. Matters to protocols in which it says so; before or after send.
  void expect(std::uint64_t key, int origin, int target, const route& way);
  void send(std::uint64_t key, const parcel& what);
  /// Of the network: words and blocks.
  std::uint64_t messages() const noexcept { return messages_; }

  void source_free(std::uint32_t what) override;
  void delivered(std::uint32_t what) override;
  void reminded(std::uint32_t) override {}

 private:
  enum class news : std::uint32_t { data, notice, request, grant };
  struct transfer {
    std::uint64_t key = 0;
    parcel what;
    protocol_run run;
    std::size_t unread = 0, undelivered = 0;  ///< blocks
    bool sent = false, expected = false;      ///< by the two sides
    bool asked = false, granted = false;      ///< words that have come
    bool here = false;
  };

  static std::uint32_t name(news what, std::uint32_t slot) {
    return slot << 2 | static_cast<std::uint32_t>(what);
  }
  std::uint32_t fresh(std::uint64_t key);
  std::uint32_t open(std::uint64_t key, const route& way);
  void close_if_over(std::uint32_t slot);
  void say(int origin, int target, int path, news what, std::uint32_t slot);
  void grant(std::uint32_t slot);
  void go_on(std::uint32_t slot);
  void send_blocks(std::uint32_t slot);
  void arrive(std::uint32_t slot);

  post_office& post_;
  const routes& ways_;
  recipient& who_;
  std::vector<transfer> transfers_;
  std::vector<std::uint32_t> unused_;
  /// Of protocols with a grant: parcels of which one side has not heard yet.
  std::unordered_map<std::uint64_t, std::uint32_t> half_open_;
  std::uint64_t messages_ = 0;
};

}  // namespace onehop::virtual_machine
