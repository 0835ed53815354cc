#include "fathom/export/internal/xacro.hpp"

namespace fathom::exchange::internal {
namespace {

void refuse_below(const XmlElement& element) {
  if (element.name().starts_with("xacro:"))
    element.refuse_it("is a macro of xacro, which is not expanded here",
                      "run `xacro file.xacro > file.urdf` first, and give the result");
  const std::string text = element.text();
  if (text.find("${") != std::string::npos || text.find("$(") != std::string::npos)
    element.refuse_it("holds an expression of xacro, which is not evaluated here",
                      "run `xacro file.xacro > file.urdf` first, and give the result");
  for (const XmlElement& child : element.children()) refuse_below(child);
}

}  // namespace

void refuse_xacro(const XmlElement& root) { refuse_below(root); }

}  // namespace fathom::exchange::internal
