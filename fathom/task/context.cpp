#include "fathom/task/context.hpp"

#include "fathom/base/search_path.hpp"
#include "fathom/model_file/catalogue.hpp"

namespace fathom::task {

namespace fs = std::filesystem;

SearchPaths SearchPaths::in(const fs::path& share) {
  if (share.empty()) return {};
  return {{share / "robots"},     {share / "arms"},     {share / "scenarios"},
          {share / "assemblies"}, {share / "problems"}, share / "studies"};
}

fs::path SearchPaths::robot(const std::string& name) const { return model::find_robot_file(name, robots); }
fs::path SearchPaths::arm(const std::string& name) const { return model::find_arm_file(name, arms); }
fs::path SearchPaths::scenario(const std::string& name) const {
  return find_file({"scenario", scenarios}, name);
}
fs::path SearchPaths::assembly(const std::string& name) const {
  return find_file({"assembly", assemblies}, name);
}
fs::path SearchPaths::problem(const std::string& name) const { return find_file({"problem", problems}, name); }

SearchPaths::Folders SearchPaths::modules() const {
  Folders folders = robots;
  folders.insert(folders.end(), assemblies.begin(), assemblies.end());
  return folders;
}

void Context::at(const std::string& doing, double share, const std::string& news) const {
  throw_if(stop);
  if (progress) progress(doing, share, news);
}

std::string version() { return FATHOM_VERSION; }

}  // namespace fathom::task
