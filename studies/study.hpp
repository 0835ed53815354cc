#pragma once
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fathom::studies {

/// One number of a study: what its source prints, what Fathom gives, and what decides.
struct StudyRow {
  std::string key;   ///< by which the study's code fills it in
  std::string item;  ///< for people; begins with spaces where it belongs to the row above
  std::optional<double> published, at_most, at_least;
  std::string unit, note;
  std::optional<double> ours = {};
  std::string skipped = {};  ///< why there is no number of ours

  bool passes() const;            ///< skipped ones do
  std::string criterion() const;  ///< "<= 4", "" where there is none
};

/// A published table beside our own: a folder of studies/ with a file study.yaml.
class Study {
 public:
  /// Throws InputError that lists everything wrong with the file.
  static Study read(const std::filesystem::path& folder);

  const std::filesystem::path& folder() const { return folder_; }
  const std::string& name() const { return name_; }
  const std::string& title() const { return title_; }
  const std::string& source() const { return source_; }
  const std::vector<std::string>& explanation() const { return explanation_; }  ///< paragraphs
  const std::vector<StudyRow>& rows() const { return rows_; }
  /// A whole number of the file's `settings`.
  int setting(const std::string& name) const;
  /// "NAME=NUMBER" in place of the file's own: a smaller study, for tests. Throws InputError for anything else.
  void change(const std::string& setting);

  /// Fills in a row; `remark` goes behind its note.
  void set(const std::string& key, double ours, const std::string& remark = "");
  /// Rows that the study's code has whole, before those of the file.
  void put_first(std::vector<StudyRow> rows);
  /// A row that cannot be filled in here, such as one without data: "skipped: WHY".
  void skip(const std::string& key, const std::string& why);
  /// Skips every row whose key begins with `prefix`.
  void skip_all(const std::string& prefix, const std::string& why);
  /// Every row that has a criterion meets it. Throws InputError where a row was not filled in.
  bool holds() const;

 private:
  std::filesystem::path folder_;
  std::string name_, title_, source_;
  std::vector<std::string> explanation_;
  std::map<std::string, int> settings_;
  std::vector<StudyRow> rows_;
};

/// part(needed) where those measured data are; else skips the rows whose keys begin with one of the prefixes.
void run_or_skip(Study& study, const std::filesystem::path& needed, std::initializer_list<const char*> prefixes,
                 const std::function<void(const std::filesystem::path&)>& part);

}  // namespace fathom::studies
