#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "fathom/base/error.hpp"

namespace fathom::yaml {

/// The line of a key, or of the nearest one above it that has one; 0 where none has.
int nearest_line(const std::map<std::string, int>& lines, std::string key);

/// What reading one file has found so far: findings, and the line of every key, so that checks made after
/// reading can still say where.
class Reading {
 public:
  explicit Reading(std::string file) : file_(std::move(file)) {}

  void error(const std::string& key, int line, std::string message, std::string hint);
  /// Adds findings that know only their key; file and line are filled in.
  void add(const Findings& findings);
  void note_line(const std::string& key, int line) { lines_[key] = line; }
  const Findings& findings() const { return findings_; }
  const std::map<std::string, int>& lines() const { return lines_; }

 private:
  std::string file_;
  Findings findings_;
  std::map<std::string, int> lines_;
};

/// One value in the file. Each reader reports what is wrong and then returns nothing.
class Field {
 public:
  /// `line` is that of the key, which may stand above its value.
  Field(const YAML::Node& node, std::string key, int line, Reading& reading);
  Field(const YAML::Node& node, std::string key, Reading& reading);

  /// This field, in which .inf is a number too: unknown.
  Field where_unknown_is_allowed() const;

  std::optional<double> number(std::string_view unit) const;
  /// A list of `count` numbers.
  std::optional<std::vector<double>> numbers(std::size_t count, std::string_view what) const;
  /// A list of numbers of any length.
  std::optional<std::vector<double>> number_list() const;
  /// `size` rows of `size` numbers, row-major, or `size` numbers: the diagonal.
  std::optional<std::vector<double>> square(std::size_t size, std::string_view what) const;
  std::optional<std::string> text() const;
  /// `true` or `false`, without quotes.
  std::optional<bool> yes_or_no() const;
  /// The entries of a list.
  std::vector<Field> items() const;

  bool takes_infinity() const { return takes_infinity_; }
  bool is_map() const { return node_.IsMap(); }
  bool is_list() const { return node_.IsSequence(); }
  bool is_scalar() const { return node_.IsScalar(); }
  bool has(std::string_view name) const;
  const YAML::Node& node() const { return node_; }
  const std::string& key() const { return key_; }
  Reading& reading() const { return *reading_; }
  void error(std::string message, std::string hint) const;
  void entry_error(int index, std::string message, std::string hint) const;
  /// Problems found later under `key` stand at this line.
  void also_known_as(const std::string& key) const { reading_->note_line(key, line_); }

 private:
  YAML::Node node_;
  std::string key_;
  Reading* reading_;
  int line_;
  bool takes_infinity_ = false;  ///< handed down to entries of lists and maps
};

/// A YAML map whose keys are all known: take each that may stand there, then finish() names the rest.
class Map {
 public:
  explicit Map(const Field& field);

  bool has(std::string_view name) const { return entries_.contains(std::string(name)); }
  /// The keys, as far as they are words.
  std::vector<std::string> names() const;
  /// `name` must outlive the map.
  std::optional<Field> take(std::string_view name);
  /// Reports an error if the key is missing.
  std::optional<Field> require(std::string_view name, std::string_view hint);
  void finish();

 private:
  Field field_;
  struct Entry {
    YAML::Node node;
    int line;
  };
  std::map<std::string, Entry> entries_;
  std::vector<std::string_view> known_;
};

/// Where values come from, as a section says it for all of its values that do not say it themselves.
struct Origin {
  std::string source;
  bool assumed = false;
};

Origin take_origin(Map& map);
/// Likewise, of something that has source and assumed of its own.
template <class T>
void take_origin(Map& map, T& of) {
  const Origin origin = take_origin(map);
  of.source = origin.source;
  of.assumed = origin.assumed;
}

/// The one document of a YAML text. Throws InputError with the place if it does not parse; the hints say what
/// such a file holds and how it begins.
YAML::Node parse_document(const std::string& text, const std::string& file, std::string_view one_per_file,
                          std::string_view begin);

}  // namespace fathom::yaml
