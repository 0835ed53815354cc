#include "cli/terminal/progress.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace fathom::cli {

Progress::Progress(std::string what)
    : what_(std::move(what)), terminal_(::isatty(STDERR_FILENO) != 0), start_(Clock::now()), last_(start_) {}

Progress::~Progress() {
  if (drawn_ && terminal_) std::fputs("\r\x1b[K", stderr);
}

void Progress::at(double share, std::string_view news) {
  const auto now = Clock::now();
  const std::chrono::duration<double> since = now - last_, elapsed = now - start_;
  share = std::clamp(share, 0.0, 1.0);
  const auto left = remaining_.at(share, elapsed.count());
  if (since.count() < (terminal_ ? 0.1 : 10.0)) return;
  last_ = now;
  drawn_ = true;
  const std::string time = left ? fmt::format("{:.0f} s left", *left) : "";
  if (terminal_) {
    constexpr int width = 30;
    const int filled = static_cast<int>(share * width);
    const std::string bar =
        fmt::format("\r\x1b[K{} [{:#<{}}{: <{}}] {:3.0f} %  {}{}{}", what_, "", filled, "", width - filled,
                    100 * share, time, news.empty() || time.empty() ? "" : "  ", news);
    std::fputs(bar.c_str(), stderr);  // not fmt::print, which throws where standard error is closed
    std::fflush(stderr);
  } else {
    std::fputs(fmt::format("{}: {:.0f} %{}{}{}{}\n", what_, 100 * share, left ? ", " : "", time,
                           news.empty() ? "" : ", ", news)
                   .c_str(),
               stderr);
  }
}

}  // namespace fathom::cli
