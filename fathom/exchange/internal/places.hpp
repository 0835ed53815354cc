#pragma once
#include <string>

#include <fmt/format.h>

#include "fathom/exchange/import.hpp"
#include "fathom/fields/xml_file.hpp"

namespace fathom::exchange::internal {

/// Where the number of that key stands.
inline void note(Imported& imported, const std::string& key, const XmlElement& element, std::string tag = "") {
  imported.places[key] = {element.file(), element.line(), tag.empty() ? element.name() : std::move(tag)};
}

/// A list of `count` numbers: the key and each entry.
inline void note_list(Imported& imported, const std::string& key, const XmlElement& element, int count,
                      const std::string& tag = "") {
  note(imported, key, element, tag);
  for (int i = 0; i < count; ++i) note(imported, fmt::format("{}[{}]", key, i), element, tag);
}

/// A square matrix: the key and each entry.
inline void note_matrix(Imported& imported, const std::string& key, const XmlElement& element, int size,
                        const std::string& tag = "") {
  note(imported, key, element, tag);
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) note(imported, fmt::format("{}[{}][{}]", key, i, j), element, tag);
}

/// What the file holds and a robot file cannot.
inline void lose(Imported& imported, const XmlElement& element, std::string what, std::string remedy = "") {
  imported.losses.push_back({fmt::format("<{}>, {}:{}", element.name(), element.file(), element.line()),
                             std::move(what), std::move(remedy)});
}

}  // namespace fathom::exchange::internal
