#include "transport/mixed/node.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/launch.hpp>

#include "machine/process.hpp"
#include "transport/self/region.hpp"
#include "transport/shm/region.hpp"

namespace onehop::mixed {
namespace {

/// A node_identity is equal on ranks that see the same processes of one running machine.
struct node_identity {
  boot_identity boot{};
  std::array<char, 64> name{};
  std::uint64_t process_namespace = 0;
  std::uint64_t user = 0;

  bool operator==(const node_identity&) const = default;
};

node_identity here(const std::string& name) {
  node_identity result;
  result.boot = this_boot();
  name.copy(result.name.data(), result.name.size() - 1);
  result.process_namespace = this_process().name_space;
  result.user = geteuid();
  return result;
}

/// An offer says where a segment can be opened; file 0 stands for none.
struct offer {
  std::int64_t process = 0, descriptor = -1;
  std::uint64_t device = 0, file = 0;
};

/// An open_file closes its descriptor.
class open_file {
 public:
  explicit open_file(int descriptor = -1) : descriptor_(descriptor) {}
  ~open_file() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

int make_segment(std::size_t ranks) {
  try {
    return ranks > 1 ? create_segment(static_cast<int>(ranks)) : -1;
  } catch (const error&) {
    return -1;  // Without room for a segment, the ranks of a machine talk over MPI.
  }
}

offer offer_of(int descriptor) {
  struct stat info {};
  if (descriptor < 0 || fstat(descriptor, &info) != 0) return {};
  return {getpid(), descriptor, info.st_dev, info.st_ino};
}

int open_offered(const offer& told) {
  if (told.file == 0) return -1;
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%lld/fd/%lld",
                static_cast<long long>(told.process), static_cast<long long>(told.descriptor));
  const int descriptor = open(path.data(), O_RDWR | O_CLOEXEC);
  struct stat info {};
  const bool same = descriptor >= 0 && fstat(descriptor, &info) == 0 &&
                    info.st_dev == told.device && info.st_ino == told.file &&
                    info.st_uid == geteuid() && info.st_nlink == 0;
  if (same || descriptor < 0) return descriptor;
  close(descriptor);
  return -1;
}

std::shared_ptr<stores::arena> map_offered(const offer& told) {
  const open_file segment(open_offered(told));
  if (segment.descriptor() < 0) return nullptr;
  try {
    return shm::map_arena(segment.descriptor(), shm::maker::rank);
  } catch (const error&) {
    return nullptr;
  }
}

}  // namespace

node find_node(const context& everyone, const std::string& name) {
  const std::vector<node_identity> nodes = allgather(everyone, here(name));
  node found;
  for (int rank = 0; rank < everyone.size(); ++rank)
    if (nodes[static_cast<std::size_t>(rank)] == nodes[static_cast<std::size_t>(everyone.rank())])
      found.ranks.push_back(rank);
  const bool first = found.ranks.front() == everyone.rank();
  const open_file segment(first ? make_segment(found.ranks.size()) : -1);
  const std::vector<offer> offers = allgather(everyone, offer_of(segment.descriptor()));
  found.memory = map_offered(offers[static_cast<std::size_t>(found.ranks.front())]);
  // The maker keeps its descriptor until all have opened the segment.
  const std::vector<int> mapped = allgather(everyone, int{found.memory != nullptr});
  const bool all = std::ranges::all_of(
      found.ranks, [&](int rank) { return mapped[static_cast<std::size_t>(rank)] != 0; });
  if (!all) found = {{everyone.rank()}, self::make_arena()};
  return found;
}

}  // namespace onehop::mixed
