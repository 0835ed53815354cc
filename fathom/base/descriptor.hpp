#pragma once
#include <unistd.h>

namespace fathom {

/// An open file of the operating system, closed at the end of its scope; negative: none.
struct Descriptor {
  explicit Descriptor(int number) : fd(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  const int fd;
};

}  // namespace fathom
