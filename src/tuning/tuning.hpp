#pragma once
/// A tuning is the file of `onehop tune`, read and checked. python/onehop/tuning.py writes it:
///
///   {"schema": "onehop.tuning/1",
///    "identity": {"version", "host", "cpu_model", "isa"},
///    "channels": words of ONEHOP_CHANNELS,
///    "regime": how far cores are apart,
///    "blocks": {name of a device: words of device::block_shapes},
///    "hops": {hop_name: {"ways": {right-hand sides: words of hop_choice},
///                        "together": right-hand sides}}}
///
/// The identity must be that of this machine and version for the rest to hold.

#include "device/block_shapes.hpp"
#include "dirac/hop_choice.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace onehop {

/// The identity must match for a measurement to be valid.
struct tuning_identity {
  std::string version, host, cpu_model, isa;
  bool operator==(const tuning_identity&) const = default;

  static const tuning_identity& here();
};

struct tuned_hop {
  std::map<int, std::string> ways;  ///< words of hop_choice, by right-hand sides
  std::optional<int> together;      ///< best number of right-hand sides to solve together
};

struct tuning {
  static constexpr std::string_view schema = "onehop.tuning/1";

  bool found = false;  ///< true if there is a file
  bool holds = false;  ///< true if it is for this machine and version; otherwise what follows is
                       ///< empty
  std::optional<std::string> channels;
  std::string regime;
  std::map<std::string, std::string> blocks;  ///< words of block shapes, by the name of a device
  std::map<std::string, tuned_hop> hops;      ///< what was found for a hop, by hop_name

  /// Reads the file. Throws usage_error, which names it, if it was not written by onehop tune or
  /// cannot be read, or if ONEHOP_TUNING names a file that does not exist.
  static tuning read();

  /// Returns what was tuned for a hop, or the choice by size if the hop was not tuned with `rhs`
  /// right-hand sides.
  hop_choice way_of(const std::string& hop, int rhs) const;
  /// Returns what was tuned for a device, or the standard if the device was not tuned.
  device::block_shapes blocks_of(const std::string& device) const;
};

}  // namespace onehop
