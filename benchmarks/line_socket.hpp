#pragma once
/// A line_socket carries lines of text over a socket file; each line is answered before the next
/// one is sent.

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace onehop::bench {

class line_socket {
 public:
  /// Waits for a process of this user to connect to `path`, which must not exist yet, and rejects
  /// processes of other users; returns no value after `seconds` or on any failure.
  static line_socket accept_one(const std::string& path, int seconds) {
    const line_socket door(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_un address = address_of(path);
    if (bind(door.fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        listen(door.fd_, 1) != 0)
      return line_socket(-1);
    using clock = std::chrono::steady_clock;
    const auto end = clock::now() + std::chrono::seconds(seconds);
    for (;;) {
      const std::chrono::milliseconds rest =
          std::chrono::ceil<std::chrono::milliseconds>(end - clock::now());
      pollfd wanted{door.fd_, POLLIN, 0};
      if (rest.count() < 0 || poll(&wanted, 1, static_cast<int>(rest.count())) != 1)
        return line_socket(-1);
      line_socket came(accept4(door.fd_, nullptr, nullptr, SOCK_CLOEXEC));
      if (came.is_of_this_user()) return came;
    }
  }
  static line_socket connect_to(const std::string& path) {
    line_socket made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_un address = address_of(path);
    if (connect(made.fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      return line_socket(-1);
    return made;
  }

  ~line_socket() {
    if (fd_ >= 0) close(fd_);
  }
  line_socket(line_socket&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), pending_(std::move(other.pending_)) {}
  line_socket& operator=(line_socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(pending_, other.pending_);
    return *this;
  }

  explicit operator bool() const { return fd_ >= 0; }

  bool write(std::string line) {
    line += '\n';
    for (std::size_t done = 0; done < line.size();) {
      const ssize_t sent = send(fd_, line.data() + done, line.size() - done, MSG_NOSIGNAL);
      if (sent < 0 && errno != EINTR) return false;
      if (sent > 0) done += static_cast<std::size_t>(sent);
    }
    return true;
  }
  /// Reads a line. Returns false if the other side has ended, after `seconds`, or after a signal
  /// that is handled. With a negative number it waits without limit, also across signals.
  bool read(std::string& line, int seconds) {
    std::size_t end;
    while ((end = pending_.find('\n')) == std::string::npos) {
      pollfd wanted{fd_, POLLIN, 0};
      const int ready = poll(&wanted, 1, seconds < 0 ? -1 : seconds * 1000);
      if (ready < 0 && errno == EINTR && seconds < 0) continue;
      if (ready <= 0) return false;
      char piece[4096];
      const ssize_t got = recv(fd_, piece, sizeof piece, 0);
      if (got <= 0) return false;
      pending_.append(piece, static_cast<std::size_t>(got));
    }
    line = pending_.substr(0, end);
    pending_.erase(0, end + 1);
    return true;
  }

 private:
  bool is_of_this_user() const {
    ucred caller{};
    socklen_t bytes = sizeof caller;
    return fd_ >= 0 && getsockopt(fd_, SOL_SOCKET, SO_PEERCRED, &caller, &bytes) == 0 &&
           caller.uid == geteuid();
  }
  explicit line_socket(int fd) : fd_(fd) {}
  static sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    return address;
  }

  int fd_;
  std::string pending_;
};

}  // namespace onehop::bench
