#pragma once
/// Items travel from a producer to a consumer in a few blocks, which go back and forth between the
/// two in turns.

#include <cstddef>
#include <memory>
#include <onehop/put_chain.hpp>
#include <onehop/window.hpp>
#include <span>
#include <vector>

namespace onehop {

/// A sending_block is a block as its producer sees it.
class sending_block {
 public:
  virtual ~sending_block() = default;
  /// Returns whether the consumer has read what the block last brought.
  virtual bool free() = 0;
  /// Returns where the block's bytes are written while the block is free.
  virtual std::byte* memory() = 0;
  virtual void send(std::size_t bytes) = 0;
  /// Returns whether all bytes sent have left this rank.
  virtual bool gone() = 0;
};

/// An arriving_block is a block as its consumer sees it.
class arriving_block {
 public:
  virtual ~arriving_block() = default;
  virtual bool here() = 0;
  /// Returns the bytes that the block brought. They are valid until it is given back.
  virtual std::span<const std::byte> bytes() = 0;
  virtual void give_back() = 0;
};

/// A stream_blocks object holds all blocks of a stream that this rank sends or receives.
struct stream_blocks {
  template <class Block>
  struct way {
    int peer;
    std::vector<std::unique_ptr<Block>> blocks;
  };
  std::vector<way<sending_block>> sent;       ///< blocks sent, by consumer in the order of their
                                              ///< list
  std::vector<way<arriving_block>> received;  ///< blocks received, by producer in the order of
                                              ///< their list

  struct shape {
    std::span<const int> producers, consumers;
    std::size_t block_bytes;
    int blocks;  ///< number of blocks of each producer at each consumer
  };
  /// Makes the blocks; collective. Throws whatever window::allocate and put_chain::commit throw.
  static stream_blocks make(const context& ctx, const shape& of);
};

}  // namespace onehop
