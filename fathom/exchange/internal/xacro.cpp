#include "fathom/exchange/internal/readers.hpp"

namespace fathom::exchange::internal {
namespace {

void reject_below(const XmlElement& element) {
  if (element.name().starts_with("xacro:"))
    element.reject_it("is a macro of xacro, which is not expanded here",
                      "run `xacro file.xacro > file.urdf` first, and give the result");
  const std::string text = element.text();
  if (text.find("${") != std::string::npos || text.find("$(") != std::string::npos)
    element.reject_it("holds an expression of xacro, which is not evaluated here",
                      "run `xacro file.xacro > file.urdf` first, and give the result");
  for (const XmlElement& child : element.children()) reject_below(child);
}

}  // namespace

void reject_xacro(const XmlElement& root) { reject_below(root); }

}  // namespace fathom::exchange::internal
