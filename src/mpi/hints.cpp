#include "mpi/hints.hpp"

#include <algorithm>

namespace onehop::mpi_abi {
namespace {

auto place_of(auto& hints, const std::string& key) {
  return std::ranges::find(hints, key, &info::value_type::first);
}

}  // namespace

void take_hints(info& into, const info& wanted, std::span<const hint_key> known) {
  for (const hint_key& key : known) {
    const auto told = place_of(wanted, key.name);
    if (told == wanted.end()) continue;
    const auto before = place_of(into, key.name);
    if (before == into.end())
      into.push_back(*told);
    else
      before->second = told->second;
  }
}

info all_hints(const info& told, std::span<const hint_key> known) {
  info all;
  for (const hint_key& key : known) all.emplace_back(key.name, key.unless_told);
  take_hints(all, told, known);
  return all;
}

}  // namespace onehop::mpi_abi
