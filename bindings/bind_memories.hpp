#pragma once
/// These are the names that Python uses for the memories of ranks on a virtual machine.

#include <onehop/error.hpp>
#include <string>
#include <utility>

#include "netsim/machine/machine_description.hpp"

inline onehop::netsim::memory memory_named(const std::string& name) {
  if (name == "host") return onehop::netsim::memory::host;
  if (name == "device") return onehop::netsim::memory::device;
  throw onehop::usage_error("memory '" + name + "' is neither host nor device");
}

/// Returns the memory of sources, then the memory of windows: "device" stands for both,
/// "device-host" for one of each.
inline std::pair<onehop::netsim::memory, onehop::netsim::memory> memories_named(
    const std::string& name) {
  const auto dash = name.find('-');
  const auto sources = memory_named(name.substr(0, dash));
  return {sources, dash == std::string::npos ? sources : memory_named(name.substr(dash + 1))};
}
