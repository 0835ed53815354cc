#pragma once
#include <cstddef>
#include <new>
#include <vector>

namespace fathom::excite {

/// Memory that begins where a line of the cache does: eight numbers are then loaded and stored in one go.
template <class Number>
struct LineAllocator {
  using value_type = Number;
  static constexpr std::align_val_t line{64};

  LineAllocator() = default;
  template <class Other>
  LineAllocator(const LineAllocator<Other>&) {}
  Number* allocate(std::size_t count) {
    return static_cast<Number*>(::operator new(count * sizeof(Number), line));
  }
  void deallocate(Number* p, std::size_t) { ::operator delete(p, line); }
  bool operator==(const LineAllocator&) const { return true; }
};

using AlignedNumbers = std::vector<double, LineAllocator<double>>;

}  // namespace fathom::excite
