#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fathom/base/error.hpp"

// How fuzzers say that something is wrong.
namespace fathom::fuzz {

/// `text` is what it went wrong with.
[[noreturn]] inline void fail(const char* what, const std::string& text = "") {
  std::fprintf(stderr, "this must not be: %s\n%s\n", what, text.c_str());
  std::abort();
}

/// What is rejected is rejected with words.
inline void check_messages(const InputError& error) {
  if (error.findings().empty()) fail("an InputError without a problem", error.what());
  for (const Finding& finding : error.findings())
    if (finding.message.empty()) fail("a problem without a message", error.what());
}

}  // namespace fathom::fuzz
