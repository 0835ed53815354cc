#include "fathom/base/shelf.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"

namespace fathom {

bool is_path(const std::string& name_or_path) {
  return name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".yaml");
}

void refuse_name(const std::string& what, const std::string& name, const std::vector<std::string>& names,
                 const std::string& otherwise) {
  const std::string message = fmt::format("there is no {} {}", what, in_quotes(name));
  for (const char* ending : {"", ".yaml", ".yml"})
    if (std::error_code error; std::filesystem::is_regular_file(name + ending, error))
      refuse("", message, fmt::format("a file here is meant by its path: ./{}{}", name, ending));
  refuse("", message, did_you_mean(name, std::vector<std::string_view>(names.begin(), names.end()), otherwise));
}

}  // namespace fathom
