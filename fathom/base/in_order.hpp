#pragma once
#include <functional>
#include <map>
#include <utility>

namespace fathom {

/// Hands numbered values on in the order of their numbers, from 0. A value waits only until those before it
/// have come, so that no more are kept than came early. A number that never comes holds back those after it;
/// pool jobs that were interrupted may leave such a gap.
template <class Value>
class InOrder {
 public:
  explicit InOrder(std::function<void(const Value&)> take) : take_(std::move(take)) {}

  void put(int number, const Value& value) {
    if (number != next_) {
      waiting_.emplace(number, value);
      return;
    }
    take_(value);
    for (++next_; !waiting_.empty() && waiting_.begin()->first == next_; ++next_) {
      take_(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
    }
  }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  std::function<void(const Value&)> take_;
  std::map<int, Value> waiting_;
  int next_ = 0;
};

}  // namespace fathom
