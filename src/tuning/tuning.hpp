#pragma once
/// The file of `onehop tune`, read and checked. `onehop tune` writes it, see
/// python/onehop/tuning.py:
///
///   {"schema": "onehop.tuning/1",
///    "identity": {"version", "host", "cpu_model", "isa"},      what must be the same for it to
///    hold "channels": words of ONEHOP_CHANNELS, "regime": how far cores are apart, "blocks": {name
///    of a device: words of device::block_shapes}, "hops": {hop_name: {"ways": {right-hand sides:
///    words of hop_choice}, "together": sources}}}

#include "device/block_shapes.hpp"
#include "dirac/hop_choice.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace onehop {

/// What must be the same for a measurement to hold.
struct tuning_identity {
  std::string version, host, cpu_model, isa;
  bool operator==(const tuning_identity&) const = default;

  static const tuning_identity& here();
};

struct tuned_hop {
  std::map<int, std::string> ways;  ///< by right-hand sides, in the words of hop_choice
  std::optional<int> together;      ///< sources that are best solved together
};

struct tuning {
  static constexpr std::string_view schema = "onehop.tuning/1";

  bool found = false;  ///< there is a file
  bool holds = false;  ///< and it is of this machine and version; what follows is empty where not
  std::optional<std::string> channels;
  std::string regime;
  std::map<std::string, std::string> blocks;  ///< by the name of a device
  std::map<std::string, tuned_hop> hops;      ///< by hop_name

  /// Throws usage_error, which names the file, for one that is no tuning or cannot be read, and
  /// where ONEHOP_TUNING names one that is not there.
  static tuning read();

  /// The one by size for a hop that was not tuned with so many right-hand sides.
  hop_choice way_of(const std::string& hop, int rhs) const;
  /// The standard for a device that was not tuned.
  device::block_shapes blocks_of(const std::string& device) const;
};

}  // namespace onehop
