#include "echo.hpp"

#include <onehop/collectives.hpp>
#include <onehop/error.hpp>
#include <onehop/idle.hpp>
#include <onehop/put_chain.hpp>

#include <algorithm>
#include <chrono>
#include <string>

namespace echo {
namespace {

constexpr int transmitter = 0, receiver = 1;
constexpr auto pause = std::chrono::microseconds(50);

constexpr word mixed(word value) {
  value = (value ^ value >> 30U) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27U) * 0x94d049bb133111eb;
  return value ^ value >> 31U;
}

std::span<const word> as_words(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const word*>(bytes.data()), bytes.size() / sizeof(word)};
}

std::size_t bytes_at(const onehop::context& job, const shape& of) {
  return sizeof(word) * (job.rank() == receiver ? of.words : of.answer);
}

}  // namespace

variant variant_named(std::string_view name) {
  if (name == "transfer") return variant::transfer;
  if (name == "copy") return variant::copy;
  if (name == "kernel") return variant::kernel;
  throw onehop::usage_error("variant '" + std::string(name) +
                            "' is not known: give transfer, copy or kernel");
}

word sent_word(std::uint64_t round, std::size_t place) { return mixed(2 * (round << 32U) + place); }
word own_word(std::uint64_t round, std::size_t place) {
  return mixed((2 * round + 1) << 32U) + place;
}

void kernel(std::span<const word> words, std::span<word> answer) {
  std::ranges::fill(answer, word{0});
  for (std::size_t first = 0; first < words.size(); first += answer.size()) {
    const std::size_t count = std::min(answer.size(), words.size() - first);
    for (std::size_t k = 0; k < count; ++k)
      answer[k] += words[first + k] * static_cast<word>(first + k + 1);
  }
}

struct pair::chains {
  chains(const onehop::context& ctx, const shape& what)
      : job(ctx),
        of(what),
        sources(ctx.rank() == transmitter ? of.words : of.answer),
        copied(of.words),
        expected(of.answer),
        memory(onehop::window::allocate(ctx, bytes_at(ctx, of))),
        there(ctx, memory),
        back(ctx, memory) {
    const onehop::local_view source =
        onehop::local_view::contiguous(std::as_bytes(std::span(sources)));
    if (job.rank() == transmitter) {
      there.push({.source = source, .target = receiver});
      arrival = back.add_origin(receiver);
    } else {
      arrival = there.add_origin(transmitter);
      back.push({.source = source, .target = transmitter});
    }
    there.commit();
    back.commit();
  }

  /// All that is checked or written here stays outside the time of a round.
  void prepare() {
    ++round;
    if (job.rank() == transmitter) {
      for (std::size_t k = 0; k < of.words; ++k) sources[k] = sent_word(round, k);
      if (of.how == variant::kernel) kernel(sources, expected);
      if (of.how == variant::copy) expected = sources;
    } else {
      for (std::size_t k = 0; k < of.words; ++k) copied[k] = sent_word(round, k);
      if (of.how == variant::transfer) fill_own(sources);
    }
    if (of.how == variant::transfer) fill_own(expected);
    // The rank that waits for words is ready for them before a round begins.
    (job.rank() == transmitter ? back : there).start();
    onehop::barrier(job);
    // A round begins after a pause, so that it meets no message of the barrier.
    const auto quiet = job.now() + pause;
    for (int turn = 0; job.now() < quiet; ++turn) onehop::idle(job, turn, quiet);
  }
  void fill_own(std::vector<word>& words) const {
    for (std::size_t k = 0; k < words.size(); ++k) words[k] = own_word(round, k);
  }

  round_report transmit() {
    const auto begin = job.now();
    there.start();
    back.wait();
    const std::chrono::duration<double, std::micro> time = job.now() - begin;
    there.wait();
    return {time.count(), wrong_words(back, expected)};
  }
  round_report receive() {
    there.wait();
    if (of.how != variant::transfer) answer(as_words(there.arrived(arrival)));
    back.start();
    back.wait();
    // If the answer holds the words that arrived, the transmitter compares them.
    return {0, of.how == variant::transfer ? wrong_words(there, copied) : 0};
  }
  void answer(std::span<const word> came) {
    std::vector<word>& into = of.how == variant::copy ? sources : copied;
    std::ranges::copy(came, into.begin());
    const auto bytes = static_cast<double>(sizeof(word) * of.words);
    job.work({.bytes = 2 * bytes, .launches = 0});
    if (of.how != variant::kernel) return;
    kernel(copied, sources);
    job.work({.flops = 2.0 * static_cast<double>(of.words),
              .bytes = bytes + static_cast<double>(sizeof(word) * of.answer)});
  }
  std::uint64_t wrong_words(const onehop::put_chain& chain, std::span<const word> right) const {
    const auto came = as_words(chain.arrived(arrival));
    std::uint64_t wrong = 0;
    for (std::size_t k = 0; k < right.size(); ++k) wrong += came[k] != right[k];
    return wrong;
  }

  onehop::context job;
  shape of;
  std::vector<word> sources, copied, expected;
  onehop::window memory;
  onehop::put_chain there, back;
  onehop::notification arrival;
  std::uint64_t round = 0;
};

pair::pair(const onehop::context& job, const shape& of) {
  constexpr std::size_t most = std::size_t{1} << 31;
  if (job.size() != 2)
    throw onehop::usage_error("an echo takes two ranks, transmitter and receiver; this job has " +
                              std::to_string(job.size()));
  if (of.words < 1 || of.answer < 1 || of.words > most || of.answer > most)
    throw onehop::usage_error("an echo of " + std::to_string(of.words) + " words and " +
                              std::to_string(of.answer) + " back; 1 to 2^31 are possible");
  if (of.how == variant::copy && of.words != of.answer)
    throw onehop::usage_error("an echo that answers with a copy of " + std::to_string(of.words) +
                              " words has as many, not " + std::to_string(of.answer));
  chains_ = std::make_unique<chains>(job, of);
}
pair::~pair() = default;
pair::pair(pair&&) noexcept = default;

round_report pair::run() {
  chains_->prepare();
  return chains_->job.rank() == transmitter ? chains_->transmit() : chains_->receive();
}

std::vector<round_report> run(const onehop::context& job, const shape& of, int unmeasured,
                              int rounds) {
  pair both(job, of);
  std::vector<round_report> found;
  std::vector<std::uint64_t> wrong;
  for (int round = 0; round < unmeasured + rounds; ++round) {
    const round_report one = both.run();
    if (round < unmeasured) continue;
    found.push_back(one);
    wrong.push_back(one.wrong);
  }
  onehop::allreduce(job, std::span(wrong));
  for (std::size_t k = 0; k < found.size(); ++k) found[k].wrong = wrong[k];
  return found;
}

}  // namespace echo
