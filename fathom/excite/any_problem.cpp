#include "fathom/excite/any_problem.hpp"

#include "fathom/base/file.hpp"
#include "fathom/excite/internal/problem_file.hpp"

namespace fathom::excite {

AnyProblem parse_any_problem(const std::string& text, const std::string& file, const model::Folders& folders,
                             std::optional<double> duration) {
  yaml::Reading reading(file);
  const yaml::Field root(internal::problem_document(text, file), "", reading);
  if (!root.has("arm")) return parse_problem(text, file, folders.robots, duration);
  if (!root.has("robot")) return parse_arm_problem(text, file, folders.arms, duration);
  yaml::Map map(root);
  map.take("arm")->error("stands beside robot: a problem is of one of the two", "leave one of them out");
  throw InputError(reading.findings());
}

AnyProblem read_any_problem(const std::filesystem::path& path, const model::Folders& folders,
                            std::optional<double> duration) {
  return parse_any_problem(read_file(path, internal::largest_problem_file), path.string(), folders, duration);
}

}  // namespace fathom::excite
