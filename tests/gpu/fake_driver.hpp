#pragma once
/// The tests' side of a CUDA driver without a card, which is a library named as the real one.
///
/// Its memory can be reached by its own copies alone: any other access ends the program. What its
/// streams hold is done at random moments, often as late as can be: when somebody asks whether it
/// is done, and then a little at a time.

#include <cstddef>
#include <functional>

namespace fake_driver {

constexpr int cards = 2;

/// Zeroed memory of a card.
void* allocate(std::size_t bytes, int card = 0);
void release(void* memory);
/// Where a test can see it.
void* reach(void* memory);

/// A stream as a program that uses the card has.
void* make_stream();
void drop_stream(void* stream);
/// Does all that it holds.
void finish(void* stream);
void enqueue(void* stream, std::function<void()> work);

/// Of the library under test, that are there.
struct counts {
  int streams = 0, events = 0, pinned = 0, mapped = 0;
  int copies = 0;  ///< ever made
};
counts counted();

}  // namespace fake_driver
