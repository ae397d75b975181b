// onehop_replay FOLDER reads FOLDER/RANK.orders, does what they say, and writes FOLDER/RANK.times:
// the rank's nanoseconds from MPI_Init to MPI_Finalize, in total and per subject.

#include "recorder/replay.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "mpi/program_time.hpp"

extern "C" {
int MPI_Init(int* count, char*** words);
int MPI_Finalize(void);
int MPI_Abort(MPI_Comm comm, int code);
int MPI_Comm_rank(MPI_Comm comm, int* rank);
int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype* made);
int MPI_Type_commit(MPI_Datatype* type);
int MPI_Op_create(MPI_User_function* function, int commutes, MPI_Op* made);
}

namespace onehop::recorder {
namespace {

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "onehop: replay: %s\n", why.c_str());
  MPI_Abort(mpi_abi::fixed<MPI_Comm>(mpi_abi::comm_world), 2);
  std::abort();
}

void leave_operands(void*, void*, int*, MPI_Datatype*) {}

/// Memory that is never touched takes no physical memory.
void* room_of(std::size_t bytes) {
  void* const found = std::calloc(bytes + 1, 1);
  if (found == nullptr)
    give_up("there is no memory for the " + std::to_string(bytes) +
            " bytes of the recording's largest message");
  return found;
}

bool is_space(char c) { return c == ' ' || c == '\n'; }

}  // namespace

std::string_view orders_reader::word() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  const std::size_t begin = at_;
  while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
  return std::string_view(text_).substr(begin, at_ - begin);
}

std::int64_t orders_reader::number() {
  const std::string_view found = word();
  std::int64_t number = 0;
  std::from_chars(found.data(), found.data() + found.size(), number);
  return number;
}

std::vector<int> orders_reader::list() {
  std::vector<int> all(static_cast<std::size_t>(number()));
  for (int& each : all) each = whole();
  return all;
}

stage::stage(std::size_t room) : out_(room_of(room)), in_(room_of(room)) {
  comms_[0] = mpi_abi::fixed<MPI_Comm>(mpi_abi::comm_world);
  comms_[1] = mpi_abi::fixed<MPI_Comm>(mpi_abi::comm_self);
  MPI_Op_create(leave_operands, 1, &nothing_);
}

void stage::keep(std::int64_t number, int rank, MPI_Comm made) {
  int found = -1;
  if (mpi_abi::number_of(made) != mpi_abi::comm_null) MPI_Comm_rank(made, &found);
  if (found != rank)
    give_up(
        "a communicator that the program has made gives its ranks other numbers in onehop's "
        "MPI: " +
        std::to_string(found) + " instead of " + std::to_string(rank));
  if (number >= 0) comms_[number] = made;
}

MPI_Datatype stage::type_of(std::int64_t bytes) {
  const auto [found, fresh] = types_.emplace(bytes, nullptr);
  if (fresh) {
    MPI_Type_contiguous(static_cast<int>(bytes), byte, &found->second);
    MPI_Type_commit(&found->second);
  }
  return found->second;
}

namespace {

struct account {
  std::int64_t computing = 0, of[3] = {};
};

account carry_out(stage& here, orders_reader& words) {
  account spent;
  for (std::string_view kind = words.word(); !kind.empty(); kind = words.word()) {
    const std::int64_t begun = onehop_program_time(), computing = words.number();
    if (computing > 0) onehop_program_computes(computing);
    const std::int64_t computed = onehop_program_time();
    spent.computing += computed - begun;
    if (kind == "end") break;
    const order* const found = order_named(kind);
    if (found == nullptr) give_up("no order is called " + std::string(kind));
    found->carry_out(here, words);
    spent.of[static_cast<int>(found->about)] += onehop_program_time() - computed;
  }
  return spent;
}

int run(const std::string& folder) {
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  MPI_Comm_rank(mpi_abi::fixed<MPI_Comm>(mpi_abi::comm_world), &rank);
  const std::string name = folder + "/" + std::to_string(rank);
  std::ifstream file(name + ".orders");
  if (!file) give_up("cannot read " + name + ".orders");
  orders_reader words(std::string(std::istreambuf_iterator<char>(file), {}));
  stage here(static_cast<std::size_t>(words.number()));
  const std::int64_t begun = onehop_program_time();
  const account spent = carry_out(here, words);
  const std::int64_t ended = onehop_program_time();
  MPI_Finalize();
  std::ofstream out(name + ".times");
  out << begun << ' ' << ended << ' ' << spent.computing;
  for (const std::int64_t each : spent.of) out << ' ' << each;
  out << '\n';
  return out.flush() ? 0 : 2;
}

}  // namespace
}  // namespace onehop::recorder

int main(int count, char** words) {
  if (count != 2) {
    std::fputs("onehop: replay: name the folder of the orders\n", stderr);
    return 2;
  }
  return onehop::recorder::run(words[1]);
}
