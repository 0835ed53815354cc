#pragma once
#include <string>
#include <vector>

namespace fathom::cli {

/// Columns aligned for a terminal; the last column wraps at the width of the terminal (100 in a pipe).
class Table {
 public:
  explicit Table(std::vector<std::string> header) { rows_.push_back(std::move(header)); }
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// Columns of the terminal; 100 in a pipe.
std::size_t terminal_width();

/// A paragraph in lines as wide as the terminal.
std::string wrapped(const std::string& paragraph);

}  // namespace fathom::cli
