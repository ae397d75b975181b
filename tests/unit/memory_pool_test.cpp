#include "lattice/aligned_memory.hpp"

#include <boost/test/unit_test.hpp>

#include <cstring>
#include <memory>
#include <set>
#include <vector>

using namespace onehop;

namespace {

// One size lies in the heap, the other in pages of its own.
const std::vector<std::size_t> sizes = {100, 3 << 20};

}  // namespace

BOOST_AUTO_TEST_CASE(what_goes_is_there_for_the_next) {
  for (const std::size_t bytes : sizes) {
    const auto pool = std::make_shared<memory_pool>();
    const std::byte* first = nullptr;
    {
      const pooled_memory gone(bytes, pool);
      first = gone.data();
    }
    const pooled_memory same(bytes, pool), another(bytes, pool);
    BOOST_TEST(same.data() == first);
    BOOST_TEST(another.data() != first);
  }
}

BOOST_AUTO_TEST_CASE(nobody_gets_less_than_asked_for_or_more_than_needed) {
  const auto pool = std::make_shared<memory_pool>();
  const std::byte* large = nullptr;
  const std::byte* middle = nullptr;
  {
    const pooled_memory a(3000, pool), b(1000, pool), c(2000, pool);
    large = a.data();
    middle = c.data();
  }
  const pooled_memory first(1500, pool), second(2500, pool), third(2500, pool);
  BOOST_TEST(first.data() == middle);
  BOOST_TEST(second.data() == large);
  BOOST_TEST(third.data() != large);
}

BOOST_AUTO_TEST_CASE(memory_that_moves_is_given_back_once) {
  const auto pool = std::make_shared<memory_pool>();
  std::set<const std::byte*> gone;
  {
    pooled_memory a(1000, pool), b(1000, pool);
    gone = {a.data(), b.data()};
    pooled_memory moved(std::move(a));
    b = std::move(moved);
  }
  const pooled_memory first(1000, pool), second(1000, pool), third(1000, pool);
  BOOST_TEST((gone == std::set{first.data(), second.data()}));
  BOOST_TEST(third.data() != nullptr);
  BOOST_TEST(!gone.contains(third.data()));
}

BOOST_AUTO_TEST_CASE(memory_outlives_whoever_made_its_pool) {
  auto pool = std::make_shared<memory_pool>();
  const std::weak_ptr<memory_pool> watched = pool;
  {
    const pooled_memory kept(1000, pool);
    pool.reset();
    BOOST_TEST(!watched.expired());
  }
  BOOST_TEST(watched.expired());
}

BOOST_AUTO_TEST_CASE(memory_of_no_pool_is_zero_and_aligned) {
  for (const std::size_t bytes : sizes) {
    // The heap holds what was written before.
    { std::memset(pooled_memory(bytes, nullptr).data(), 1, bytes); }
    const pooled_memory memory(bytes, nullptr);
    const std::vector<std::byte> zeros(bytes);
    BOOST_TEST(std::memcmp(memory.data(), zeros.data(), bytes) == 0);
    BOOST_TEST(reinterpret_cast<std::size_t>(memory.data()) % aligned_memory::alignment == 0U);
  }
}
