// The tests explore every behaviour of small instances of the shared-memory protocol: see README.md
// beside this file.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>

#include "model/protocols.hpp"

using model::chain_model;
using model::round_model;
using model::weakness;

namespace {

using edges = std::vector<chain_model::edge>;
const edges pair{{0, 1}, {1, 0}};
const edges one_way{{0, 1}};
const edges two_way_and_back{{0, 1}, {0, 1}, {1, 0}};
const edges two_each_way{{0, 1}, {0, 1}, {1, 0}, {1, 0}};
const edges two_one_way{{0, 1}, {0, 1}};
const edges ring{{0, 1}, {1, 2}, {2, 0}};
const edges line{{0, 1}, {1, 0}, {1, 2}, {2, 1}};
const edges mixed{{0, 1}, {1, 0}, {1, 2}};

chain_model sized(chain_model chain) {
  chain.variable = true;
  return chain;
}

chain_model in_parts(chain_model chain) {
  chain.packed = chain.in_parts = true;
  return chain;
}

chain_model in_turns(chain_model chain) {
  chain.in_turns = true;
  return chain;
}

chain_model whole(chain_model chain) {
  chain.whole = true;
  return chain;
}

struct named_chain {
  std::string name;
  chain_model chain;
};
std::ostream& operator<<(std::ostream& out, const named_chain& c) { return out << c.name; }

const std::vector<named_chain> sound{
    {"pair, two banks", {2, pair, 2, 7}},
    {"pair, two banks, packed", {2, pair, 2, 7, true}},
    {"pair, one bank", {2, pair, 1, 8}},
    {"one way, two banks", {2, one_way, 2, 7}},
    {"one way, one bank", {2, one_way, 1, 16}},
    {"two puts and one back", {2, two_way_and_back, 2, 5}},
    {"two puts and one back, other order", {2, two_way_and_back, 2, 5, true, true}},
    {"ring of three, two banks with credit", {3, ring, 2, 3}},
    {"ring of three, one bank", {3, ring, 1, 4}},
    {"line of three, two banks", {3, line, 2, 3}},
    {"line of three, packed, other order", {3, line, 2, 3, true, true}},
    {"line of three, one bank", {3, line, 1, 3}},
    {"pair and a third that only receives", {3, mixed, 2, 3}},
    {"two puts and one back, told together", {2, two_way_and_back, 2, 5, false, false, true}},
    {"two puts one way, one bank", {2, two_one_way, 1, 6}},
    {"pair, streaming", {2, pair, 2, 7, false, false, false, true}},
    {"pair, packed, streaming", {2, pair, 2, 7, true, false, false, true}},
    {"two puts and one back, streaming", {2, two_way_and_back, 2, 4, false, false, false, true}},
    {"one way, streaming", {2, one_way, 2, 7, true, false, false, true}},
    {"pair, variable sizes", sized({2, pair, 2, 5})},
    {"pair, packed, variable sizes", sized({2, pair, 2, 5, true})},
    {"pair, one bank, variable sizes", sized({2, pair, 1, 5})},
    {"one way, one bank, variable sizes", sized({2, one_way, 1, 10})},
    {"two puts and one back, variable sizes", sized({2, two_way_and_back, 2, 3})},
    {"ring of three, variable sizes", sized({3, ring, 2, 2})},
    {"pair, in parts", in_parts({2, pair, 2, 7})},
    {"two puts and one back, in parts", in_parts({2, two_way_and_back, 2, 5})},
    {"two puts and one back, in parts, variable sizes",
     in_parts(sized({2, two_way_and_back, 2, 3}))},
    {"two puts and one back, in parts, streaming",
     in_parts({2, two_way_and_back, 2, 4, true, false, false, true})},
    {"line of three, in parts, other order", in_parts({3, line, 2, 3, true, true})},
    {"pair, in turns", in_turns({2, pair, 2, 7})},
    {"pair, in turns, packed", in_turns({2, pair, 2, 7, true})},
    {"two puts each way, in turns, packed, other order",
     in_turns({2, two_each_way, 2, 4, true, true})},
    {"pair, in turns, variable sizes", in_turns(sized({2, pair, 2, 5, true}))},
    {"two puts each way, in turns, in parts", in_turns(in_parts({2, two_each_way, 2, 4}))},
    {"line of three, in turns, packed, other order", in_turns({3, line, 2, 3, true, true})},
    {"pair, awaited as a whole", whole({2, pair, 2, 7})},
    {"two puts and one back, awaited as a whole", whole({2, two_way_and_back, 2, 5})},
    {"line of three, awaited as a whole", whole({3, line, 2, 3})},
    {"line of three, one bank, awaited as a whole", whole({3, line, 1, 3})},
};

struct broken_chain {
  std::string name, fault;
  chain_model chain;
};
std::ostream& operator<<(std::ostream& out, const broken_chain& c) { return out << c.name; }

const std::vector<broken_chain> broken{
    {"flag stored relaxed",
     "may be writing",
     {2, pair, 2, 2, false, false, false, false, weakness::relaxed_flag_store}},
    {"flag loaded relaxed",
     "may be writing",
     {2, pair, 2, 2, false, false, false, false, weakness::relaxed_flag_load}},
    {"flag loaded relaxed, packed",
     "may be writing",
     {2, pair, 2, 2, true, false, false, false, weakness::relaxed_flag_load}},
    {"flag before data",
     "",
     {2, pair, 2, 2, false, false, false, false, weakness::flag_before_data}},
    {"credit stored relaxed",
     "may be reading",
     {2, one_way, 2, 4, false, false, false, false, weakness::relaxed_credit_store}},
    {"credit loaded relaxed",
     "may be reading",
     {2, one_way, 1, 3, false, false, false, false, weakness::relaxed_credit_load}},
    {"one way without credit",
     "",
     {2, one_way, 2, 4, false, false, false, false, weakness::no_credit}},
    {"one bank without credit",
     "",
     {2, pair, 1, 3, false, false, false, false, weakness::no_credit}},
    {"ring without credit", "", {3, ring, 2, 4, false, false, false, false, weakness::no_credit}},
    {"credit too early, two banks",
     "",
     {2, one_way, 2, 4, false, false, false, false, weakness::credit_too_early}},
    {"credit too early, one bank",
     "",
     {2, pair, 1, 3, false, false, false, false, weakness::credit_too_early}},
    {"credit too late",
     "nobody can go on",
     {2, pair, 1, 3, false, false, false, false, weakness::credit_too_late}},
    {"bank not switched",
     "",
     {2, pair, 2, 3, false, false, false, false, weakness::bank_not_switched}},
    {"told too early",
     "",
     {2, two_way_and_back, 2, 2, false, false, false, false, weakness::told_too_early}},
    {"size told after the count", "in place of",
     sized({2, pair, 2, 2, false, false, false, false, weakness::size_after_count})},
    {"size told after the count, packed, one way", "in place of",
     sized({2, one_way, 2, 3, true, false, false, false, weakness::size_after_count})},
    {"sizes, flag loaded relaxed", "is told a size of 0",
     sized({2, pair, 2, 2, true, false, false, false, weakness::relaxed_flag_load})},
    {"sizes, credit loaded relaxed", "may be reading",
     sized({2, one_way, 1, 3, false, false, false, false, weakness::relaxed_credit_load})},
    {"sizes, credit stored relaxed", "may be reading",
     sized({2, one_way, 1, 3, false, false, false, false, weakness::relaxed_credit_store})},
    {"sizes without credit", "",
     sized({2, one_way, 2, 4, false, false, false, false, weakness::no_credit})},
    {"streaming without a fence",
     "may be writing",
     {2, pair, 2, 2, false, false, false, true, weakness::no_fence}},
    {"in parts, told too early", "",
     in_parts({2, two_way_and_back, 2, 3, true, false, false, false, weakness::told_too_early})},
    {"in parts, flag stored relaxed", "may be writing",
     in_parts(
         {2, two_way_and_back, 2, 3, true, false, false, false, weakness::relaxed_flag_store})},
    {"packed and streaming without a fence",
     "may be writing",
     {2, pair, 2, 2, true, false, false, true, weakness::no_fence}},
    {"in turns, packed before what came is read", "in place of",
     in_turns({2, pair, 2, 3, true, false, false, false, weakness::packed_before_read})},
    {"in turns on one side alone", "",
     in_turns({2, pair, 2, 3, true, false, false, false, weakness::turns_on_one_side})},
    {"in turns, flag stored relaxed", "may be writing",
     in_turns({2, pair, 2, 3, true, false, false, false, weakness::relaxed_flag_store})},
    {"in turns, flag loaded relaxed", "may be writing",
     in_turns({2, pair, 2, 3, true, false, false, false, weakness::relaxed_flag_load})},
    {"awaited as a whole, flag loaded relaxed", "may be writing",
     whole({2, pair, 2, 2, false, false, false, false, weakness::relaxed_flag_load})},
    {"awaited as a whole, told too early", "",
     whole({2, two_way_and_back, 2, 2, false, false, false, false, weakness::told_too_early})},
    {"arrivals not awaited",
     "",
     {2, pair, 2, 2, false, false, false, false, weakness::no_wait_for_arrivals}},
};

void report(const std::string& name, const model::verdict& found, double seconds) {
  BOOST_TEST_MESSAGE(name << ": " << found.states << " states, " << seconds << " s"
                          << (found.fault.empty() ? "" : ", found: ") << found.fault);
}

template <class Model>
model::verdict explore(const std::string& name, const Model& what) {
  const auto begin = std::chrono::steady_clock::now();
  const model::verdict found = what.explored();
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  report(name, found, time.count());
  return found;
}

}  // namespace

BOOST_DATA_TEST_CASE(chains_read_ghosts_neither_early_nor_late_and_never_stop, sound, each) {
  BOOST_TEST(explore(each.name, each.chain).fault == "");
}

BOOST_DATA_TEST_CASE(a_weakened_chain_is_found_out, broken, each) {
  const std::string fault = explore(each.name, each.chain).fault;
  BOOST_TEST(!fault.empty());
  BOOST_TEST(fault.find(each.fault) != std::string::npos, fault);
}

BOOST_AUTO_TEST_CASE(rounds_by_two_messages_are_sound) {
  BOOST_TEST(explore("rounds of two", round_model{2, 8}).fault == "");
  BOOST_TEST(explore("rounds of three", round_model{3, 4}).fault == "");
}

BOOST_AUTO_TEST_CASE(rounds_that_are_left_open_are_sound) {
  BOOST_TEST(explore("open rounds of two", round_model{2, 10, weakness::none, 1}).fault == "");
  BOOST_TEST(explore("three open rounds of two", round_model{2, 14, weakness::none, 3}).fault ==
             "");
  BOOST_TEST(explore("open rounds of three", round_model{3, 6, weakness::none, 1}).fault == "");
}

BOOST_AUTO_TEST_CASE(weakened_rounds_are_found_out) {
  for (const weakness each :
       {weakness::relaxed_flag_store, weakness::relaxed_flag_load, weakness::head_missing,
        weakness::place_missing, weakness::no_wait_for_every_message})
    for (const std::uint64_t left_open : {0U, 1U})
      BOOST_TEST(explore("weak rounds", round_model{3, 4 + 2 * left_open, each, left_open}).fault !=
                 "");
}
