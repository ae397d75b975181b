#include "measure/pinning.hpp"

#include <cerrno>
#include <cstring>
#include <onehop/error.hpp>

#include "base/text.hpp"
#include "machine/cores.hpp"

namespace onehop::measure {
std::vector<int> allowed_cores() {
  std::vector<int> found = cores::allowed();
  if (found.empty())
    throw resource_error(text("cannot read the cores of this process: ", std::strerror(errno)));
  return found;
}

void allow_cores(const std::vector<int>& cores) {
  if (!cores::allow(0, cores))
    throw resource_error(text("cannot run on core ", cores.empty() ? -1 : cores.front(), ": ",
                              std::strerror(errno), "; measure with --pin none"));
}

void pin_to_core(int core) { allow_cores({core}); }

}  // namespace onehop::measure
