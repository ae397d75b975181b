#include "mpi/collective_call.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string_view>

#include "base/text.hpp"
#include "mpi/communicator.hpp"
#include "mpi/operation.hpp"
#include "mpi/wire.hpp"

namespace onehop::mpi_abi {

/// The names of the ABI's functions, in order; the build generates them from abi_functions.txt.
std::span<const char* const> abi_functions() noexcept;

namespace {

constexpr std::uint8_t own_operation = 0xff;

std::uint8_t code_of(MPI_Op what) noexcept {
  return is_fixed(what) ? static_cast<std::uint8_t>(number_of(what)) : own_operation;
}

bool is_same_but_number(collective_call one, const collective_call& other) noexcept {
  one.number = other.number;
  return one == other;
}

/// Says how many more or fewer collectives the other rank has called before this one.
std::string more_before(const collective_call& mine, const collective_call& theirs) {
  constexpr int numbers = 255;
  const int more = (theirs.number - mine.number + numbers) % numbers;
  return more <= numbers / 2 ? counted(more, "more collective")
                             : counted(numbers - more, "fewer collective");
}

std::string name_of(std::uint8_t operation) {
  const char* const name = operation_name(operation);
  return name == nullptr ? "an operation of the program's" : name;
}

}  // namespace

std::uint16_t function_number(const char* name) noexcept {
  std::string_view wanted(name);
  if (wanted.ends_with("_c")) wanted.remove_suffix(2);
  const auto all = abi_functions();
  const auto found = std::ranges::lower_bound(
      all, wanted, {}, [](const char* one) { return std::string_view(one); });
  if (found == all.end() || *found != wanted) return 0;
  return static_cast<std::uint16_t>(found - all.begin() + 1);
}

collective_call called(std::uint16_t function, bool between_groups, int root) noexcept {
  return {.function = function, .root = between_groups ? collective_call::no_root : root};
}

collective_call called(std::uint16_t function, bool between_groups, MPI_Op what,
                       int root) noexcept {
  collective_call made = called(function, between_groups, root);
  made.operation = code_of(what);
  return made;
}

// The number of the function that was looked up last is kept for functions called repeatedly, such
// as MPI_Win_fence.
collective_call call_of_running_function() noexcept {
  static const char* last = nullptr;
  static std::uint16_t number = 0;
  if (current_function() != last) {
    last = current_function();
    number = function_number(last);
  }
  return {number};
}

std::string words_of(const collective_call& of) {
  std::string more = of.operation == 0 ? "" : name_of(of.operation);
  if (of.root >= 0) more += text(more.empty() ? "" : ", ", "root ", of.root);
  return abi_functions()[std::size_t{of.function} - 1] + (more.empty() ? "" : " (" + more + ")");
}

std::string disagreement(const request& into, const packet_header& message) {
  const communicator& comm = *into.comm;
  const std::string here = text("rank ", comm.label(comm.rank()));
  const std::string there = text("rank ", message.source);
  const collective_call theirs = message.call();
  if (theirs == into.call)
    return text("in ", words_of(theirs), " on ", comm.words(), " ", there, " sends ", message.bytes,
                " bytes and ", here, " expects ", into.room());
  const collective_call& mine = comm.call_beside(theirs, into.call);
  const std::string all = text("ranks of ", comm.words(), " call different collectives: ", here);
  if (is_same_but_number(mine, theirs))
    return text(all, " and ", there, " call ", words_of(mine), ", ", there, " after ",
                more_before(mine, theirs), " than ", here);
  return text(all, " calls ", words_of(mine), ", and ", there, " calls ", words_of(theirs));
}

}  // namespace onehop::mpi_abi
