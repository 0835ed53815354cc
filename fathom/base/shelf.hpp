#pragma once
#include <string>
#include <vector>

namespace fathom {

/// Does somebody who may name a file that ships, or give the path of one, give a path?
bool is_path(const std::string& name_or_path);

/// Throws InputError: no `what` of that name ships. The hint is that a file here is meant by its path, or the
/// nearest of the names that there are, or `otherwise`.
[[noreturn]] void refuse_name(const std::string& what, const std::string& name,
                              const std::vector<std::string>& names, const std::string& otherwise);

}  // namespace fathom
