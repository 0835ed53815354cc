#include "fathom/base/in_order.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace fathom::in_order_test {
namespace {

TEST(InOrder, HandsOnInOrderAndKeepsOnlyWhatCameEarly) {
  std::string taken;
  InOrder<char> in_order([&](char c) { taken += c; });
  std::vector<std::size_t> waiting;
  for (const int k : {1, 0, 2, 5, 4, 3, 6}) {
    in_order.put(k, static_cast<char>('a' + k));
    waiting.push_back(in_order.waiting());
  }
  EXPECT_EQ(taken, "abcdefg");
  EXPECT_EQ(waiting, (std::vector<std::size_t>{1, 0, 0, 1, 2, 0, 0}));
}

}  // namespace
}  // namespace fathom::in_order_test
