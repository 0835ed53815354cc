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

// Each takes the parsed file; files that it names are looked for beside `xml.file()`.

Imported read_gz_sim(const XmlFile& xml);
Imported read_uuv_simulator(const XmlFile& xml);
Imported read_rdml(const XmlFile& xml);

/// Gives every value without a source the place that it was read from: file, line and tag.
void name_sources(Imported& imported);

/// Throws InputError where the file is for xacro: its macros and ${...} are not expanded here.
void reject_xacro(const XmlElement& root);

}  // namespace fathom::exchange::internal
