#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::log::internal {

/// The lines of a text file or of a text in memory, one after the other, in constant memory. A line break is
/// \n or \r\n. Throws InputError if the file cannot be read or a line is longer than `longest`.
class LineReader {
 public:
  static constexpr std::size_t longest = 1 << 20;

  explicit LineReader(const std::filesystem::path& path, std::size_t buffer_size = longest);
  /// `text` must live as long as the reader; `name` is used in messages.
  LineReader(std::string_view text, std::string name);
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;
  ~LineReader();

  bool next();                                     ///< false at the end
  std::string_view line() const { return line_; }  ///< without its line break; valid until next()
  bool terminated() const { return terminated_; }  ///< the line ends in a line break
  int number() const { return number_; }           ///< of the line, from 1
  const std::string& name() const { return name_; }

 private:
  void refill();
  [[noreturn]] void fail(std::string message, std::string hint) const;

  std::string name_;
  int fd_ = -1;
  std::vector<char> buffer_;
  const char *begin_ = nullptr, *end_ = nullptr;  // what was read and not yet given
  bool at_end_ = false;                           // nothing more comes after end_
  std::string_view line_;
  bool terminated_ = false;
  int number_ = 0;
};

}  // namespace fathom::log::internal
