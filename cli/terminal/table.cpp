#include "cli/terminal/table.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include "fathom/report/page.hpp"

namespace fathom::cli {

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 40) return size.ws_col;
  return 100;
}

std::string Table::text() const { return report::aligned(rows_, terminal_width()); }

std::string wrapped(const std::string& paragraph) { return report::wrapped(paragraph, terminal_width()); }

}  // namespace fathom::cli
