#pragma once
/// A peer does the same steps with another library, in processes of its own that sleep while
/// nothing is requested (benchmarks/peers). Rank r of the benchmark communicates with rank r of the
/// peer.

#include <string>
#include <vector>

#include "benchmarks/contender.hpp"
#include "benchmarks/line_socket.hpp"

namespace onehop::bench {

class peer {
 public:
  /// `folder` contains the socket files of the peer's ranks and their output, in the file `told`.
  /// Throws resource_error if rank `rank` does not answer there.
  peer(std::string name, const std::string& folder, int rank);

  const std::string& name() const noexcept { return name_; }
  /// Sends a line and returns the answer. If the peer has ended or stays silent for half a minute,
  /// it has failed: the answers to this line and to all later ones are empty.
  std::string ask(const std::string& line);
  /// Returns why the peer has failed; empty while it has not.
  const std::string& failure() const noexcept { return failure_; }
  void fail(const std::string& why) {
    if (failure_.empty()) failure_ = why;
  }
  /// Returns the names of the methods that it has for the pattern.
  std::vector<std::string> methods(const std::string& pattern);
  /// Makes a contender; null if this method does not support these faces, or if the peer has
  /// failed. All ranks must make the calls in the same order.
  std::unique_ptr<contender> make(const std::string& pattern, const std::string& method,
                                  const std::vector<std::size_t>& face_bytes);
  /// Forgets all contenders made so far, which must have been destroyed.
  void drop() {
    ask("drop");
    made_ = 0;
  }

 private:
  /// Returns the output of its programs, with a space before; empty if there is none.
  std::string last_words() const;

  std::string name_, folder_, failure_;
  line_socket socket_;
  std::size_t made_ = 0;
};

/// This is a class and not a list, because its elements cannot be copied, which callers across
/// languages would try.
class peers {
 public:
  peers() = default;
  peers(peers&&) = default;

  std::vector<std::unique_ptr<peer>> all;
};

}  // namespace onehop::bench
