#pragma once
#include <functional>
#include <string>

#include "fathom/base/error.hpp"

namespace fathom::test {

/// The text of the InputError that `action` throws, or a text that no message equals.
inline std::string error_text(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "(nothing was thrown)";
}

}  // namespace fathom::test
