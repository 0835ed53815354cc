#include "fathom/fields/yaml.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/base/utf8.hpp"

namespace fathom::yaml {
namespace {

int line_of_node(const YAML::Node& node) { return node.Mark().line + 1; }

/// Does a number begin here, as opposed to a word such as "infinite", which from_chars would begin to read?
bool begins_as_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && (text.front() == '.' || (text.front() >= '0' && text.front() <= '9'));
}

/// Of a number that no double can hold: is it too small, as opposed to too large? (strtod would know, but heeds
/// the locale.)
bool is_tiny(std::string_view digits) {
  const std::size_t exponent = digits.find_first_of("eE");
  if (exponent != std::string_view::npos) return digits.substr(exponent + 1).starts_with('-');
  return digits.find_first_of("123456789") > digits.find('.');
}

/// The whole scalar as a number, in YAML's spelling; what is too large becomes infinite, what is too small
/// zero.
std::optional<double> parse_number(std::string_view text) {
  for (const std::string_view word : {".nan", ".NaN", ".NAN", "nan", "NaN"})
    if (text == word) return std::nan("");
  std::string_view digits = text;
  const bool has_plus = digits.starts_with('+');
  if (has_plus) digits.remove_prefix(1);
  if (has_plus && digits.starts_with('-')) return std::nullopt;
  for (const std::string_view word : {".inf", ".Inf", ".INF", "inf", "Inf"}) {
    if (digits == word) return HUGE_VAL;
    if (digits.starts_with('-') && digits.substr(1) == word) return -HUGE_VAL;
  }
  if (!begins_as_number(digits)) return std::nullopt;
  double value = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, status] = std::from_chars(digits.data(), last, value);
  if (end != last) return std::nullopt;
  if (status == std::errc::result_out_of_range) return is_tiny(digits) ? 0.0 : HUGE_VAL;
  if (status != std::errc()) return std::nullopt;
  return value;
}

/// As every reader of YAML spells it; a number too large for a double is a slip.
bool is_yaml_infinity(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return text == ".inf" || text == ".Inf" || text == ".INF";
}

/// "13.5 kg" -> "13.5": a number with something behind it.
std::string leading_number(std::string_view text) {
  double value = 0;
  if (!begins_as_number(text)) return "";
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc() ? std::string(text.data(), end) : "";
}

/// A number with a decimal comma, with a point in its place; else empty.
std::string with_decimal_point(std::string text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) return "";
  text[comma] = '.';
  return leading_number(text) == text ? text : "";
}

std::string kind_of(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Undefined:
    case YAML::NodeType::Null: return "nothing";
    case YAML::NodeType::Scalar: return in_quotes(node.Scalar());
    case YAML::NodeType::Sequence: return fmt::format("a list of {}", node.size());
    case YAML::NodeType::Map: return "a map";
  }
  return "nothing";
}

/// Counts documents and forgets what is in them.
class DocumentStarts : public YAML::EventHandler {
 public:
  int line = 0;  ///< of the last document that began

  void OnDocumentStart(const YAML::Mark& mark) override { line = mark.line + 1; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

/// YAML::LoadAll is of no use here: at a token that can begin no document it gives out empty ones for ever.
std::optional<int> line_of_second_document(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStarts starts;
  if (!parser.HandleNextDocument(starts) || !parser.HandleNextDocument(starts)) return std::nullopt;
  return starts.line;
}

/// yaml-cpp copies bytes that are no text into scalars, and they would end up in every file that is written.
/// Files in UTF-16 and UTF-32 are converted by it; they hold zeros or begin with a byte order mark.
void require_utf8(const std::string& text, const std::string& file) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) return;
  if (std::string_view(text).substr(0, 4).find('\0') != std::string_view::npos) return;
  const std::size_t at = find_invalid_utf8(text);
  if (at == std::string::npos) return;
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  reject(file, static_cast<int>(line), "",
         fmt::format("byte 0x{:02x} is not UTF-8 text", static_cast<unsigned char>(text[at])),
         "save the file as UTF-8");
}

}  // namespace

void Reading::error(const std::string& key, int line, std::string message, std::string hint) {
  findings_.push_back({Severity::error, file_, line, key, std::move(message), std::move(hint)});
}

void Reading::add(const Findings& findings) {
  for (Finding finding : findings) {
    finding.file = file_;
    finding.line = nearest_line(lines_, finding.key);
    findings_.push_back(std::move(finding));
  }
}

int nearest_line(const std::map<std::string, int>& lines, std::string key) {
  while (true) {
    if (const auto found = lines.find(key); found != lines.end()) return found->second;
    const std::size_t cut = key.find_last_of(".[");
    if (cut == std::string::npos) return 0;
    key.resize(cut);
  }
}

Field::Field(const YAML::Node& node, std::string key, int line, Reading& reading)
    : node_(node), key_(std::move(key)), reading_(&reading), line_(line) {
  reading_->note_line(key_, line_);
}

Field::Field(const YAML::Node& node, std::string key, Reading& reading)
    : Field(node, std::move(key), line_of_node(node), reading) {}

void Field::error(std::string message, std::string hint) const {
  reading_->error(key_, line_, std::move(message), std::move(hint));
}

void Field::entry_error(int index, std::string message, std::string hint) const {
  reading_->error(fmt::format("{}[{}]", key_, index), line_, std::move(message), std::move(hint));
}

bool Field::has(std::string_view name) const {
  if (!node_.IsMap()) return false;
  for (const auto& entry : node_)
    if (entry.first.IsScalar() && entry.first.Scalar() == name) return true;
  return false;
}

Field Field::where_unknown_is_allowed() const {
  Field field = *this;
  field.takes_infinity_ = true;
  return field;
}

std::optional<double> Field::number(std::string_view unit) const {
  const std::string expected =
      unit.empty() ? "expected a number" : fmt::format("expected a number in {}", unit);
  if (!node_.IsScalar()) {
    error(fmt::format("is {}, {}", kind_of(node_), expected), "one number, without brackets");
    return std::nullopt;
  }
  const std::string& text = node_.Scalar();
  const std::optional<double> value = node_.Tag() == "!" ? std::nullopt : parse_number(text);
  if (!value) {
    const std::string leading = leading_number(text), pointed = with_decimal_point(text);
    error(fmt::format("= {}, {}", in_quotes(text), expected),
          !pointed.empty()  ? fmt::format("a decimal point: {}", pointed)
          : leading.empty() ? "a decimal point, no comma, no quotes"
          : text.ends_with('%') && unit.empty()
              ? fmt::format("a share: {:g}", *parse_number(leading) / 100)
              : fmt::format("write {} alone{}{}", leading, unit.empty() ? "" : "; the unit is ", unit));
    return std::nullopt;
  }
  if (takes_infinity_ && is_yaml_infinity(text)) return value;
  if (!std::isfinite(*value)) {
    error(fmt::format("= {}, must be finite", text),
          takes_infinity_ ? "write .inf for what is unknown"
                          : "measure it, or leave the key out if it is optional");
    return std::nullopt;
  }
  return value;
}

std::optional<std::vector<double>> Field::numbers(std::size_t count, std::string_view what) const {
  if (!node_.IsSequence() || node_.size() != count) {
    error(fmt::format("is {}, expected {} numbers", kind_of(node_), count), std::string(what));
    return std::nullopt;
  }
  std::vector<double> values;
  for (const Field& item : items()) {
    const auto value = item.number("");
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

std::optional<std::vector<double>> Field::number_list() const {
  if (!node_.IsSequence()) {
    error(fmt::format("is {}, expected a list of numbers", kind_of(node_)), "[1.0, 2.0, ...]");
    return std::nullopt;
  }
  return numbers(node_.size(), "");
}

std::optional<std::vector<double>> Field::square(std::size_t size, std::string_view what) const {
  const bool is_right_list = node_.IsSequence() && node_.size() == size;
  if (!is_right_list) {
    error(fmt::format("is {}, expected {} numbers (the diagonal) or {} rows of {}", kind_of(node_), size, size,
                      size),
          std::string(what));
    return std::nullopt;
  }
  std::vector<double> values(size * size, 0.0);
  const std::vector<Field> rows = items();
  if (!rows[0].is_list()) {
    const auto diagonal = numbers(size, what);
    if (!diagonal) return std::nullopt;
    for (std::size_t i = 0; i < size; ++i) values[i * size + i] = (*diagonal)[i];
    return values;
  }
  for (std::size_t i = 0; i < size; ++i) {
    const auto row = rows[i].numbers(size, what);
    if (!row) return std::nullopt;
    std::copy(row->begin(), row->end(), values.begin() + static_cast<std::ptrdiff_t>(i * size));
  }
  return values;
}

std::optional<std::string> Field::text() const {
  if (node_.IsScalar()) return node_.Scalar();
  error(fmt::format("is {}, expected text", kind_of(node_)), "put it in quotes");
  return std::nullopt;
}

std::optional<bool> Field::yes_or_no() const {
  if (node_.IsScalar() && node_.Tag() != "!") {
    if (node_.Scalar() == "true") return true;
    if (node_.Scalar() == "false") return false;
  }
  error(fmt::format("is {}, expected true or false", kind_of(node_)), "without quotes");
  return std::nullopt;
}

std::vector<Field> Field::items() const {
  std::vector<Field> result;
  if (!node_.IsSequence()) {
    error(fmt::format("is {}, expected a list", kind_of(node_)), "start each entry with '- '");
    return result;
  }
  for (std::size_t i = 0; i < node_.size(); ++i)
    result.emplace_back(node_[i], fmt::format("{}[{}]", key_, i), *reading_).takes_infinity_ = takes_infinity_;
  return result;
}

Map::Map(const Field& field) : field_(field) {
  if (!field.is_map()) {
    field.error(fmt::format("is {}, expected a map of keys", kind_of(field.node())),
                "lines of 'key: value', indented alike");
    return;
  }
  for (const auto& entry : field.node()) {
    if (!entry.first.IsScalar()) {
      field.error("has a key that is not a word", "a word before the colon");
      continue;
    }
    const std::string& name = entry.first.Scalar();
    if (!entries_.emplace(name, Entry{entry.second, line_of_node(entry.first)}).second)
      field_.reading().error(field_.key(), line_of_node(entry.first),
                             fmt::format("has the key {} twice", in_quotes(name)), "keep one of them");
  }
}

std::vector<std::string> Map::names() const {
  std::vector<std::string> names;
  for (const auto& entry : entries_) names.push_back(entry.first);
  return names;
}

std::optional<Field> Map::take(std::string_view name) {
  known_.push_back(name);
  const auto found = entries_.find(std::string(name));
  if (found == entries_.end()) return std::nullopt;
  const std::string key = field_.key().empty() ? std::string(name) : fmt::format("{}.{}", field_.key(), name);
  const Field field(found->second.node, key, found->second.line, field_.reading());
  return field_.takes_infinity() ? field.where_unknown_is_allowed() : field;
}

std::optional<Field> Map::require(std::string_view name, std::string_view hint) {
  auto field = take(name);
  if (!field && field_.is_map())
    field_.error(field_.key().empty() ? fmt::format("the key {} is missing", name)
                                      : fmt::format("lacks the key {}", name),
                 std::string(hint));
  return field;
}

void Map::finish() {
  for (const auto& [name, entry] : entries_) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    const bool is_digits =  // as in {value: 12,0}
        !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
    field_.reading().error(
        field_.key(), entry.line,
        fmt::format("{}unknown key {}", field_.key().empty() ? "" : "has the ", in_quotes(name)),
        is_digits ? "a decimal comma? numbers have a point"
                  : did_you_mean(name, known_, fmt::format("known here: {}", join(known_, ", "))));
  }
}

Origin take_origin(Map& map) {
  Origin origin;
  const auto source = map.take("source");
  const auto assumed = map.take("assumed");
  if (source && assumed)
    assumed->error("stands beside source", "a value is either taken from somewhere or assumed");
  if (source) origin.source = source->text().value_or("");
  if (assumed) {
    origin.source = assumed->text().value_or("");
    origin.assumed = true;
  }
  return origin;
}

YAML::Node parse_document(const std::string& text, const std::string& file, std::string_view one_per_file,
                          std::string_view begin) {
  const auto fail = [&](int line, std::string message, std::string hint) {
    reject(file, line, "", std::move(message), std::move(hint));
  };
  require_utf8(text, file);
  YAML::Node document;
  try {
    if (const std::optional<int> second = line_of_second_document(text))
      fail(*second, "a second YAML document, or something that belongs to none, begins here",
           fmt::format("{}; remove it", one_per_file));
    document = YAML::Load(text);
  } catch (const YAML::Exception& error) {
    fail(error.mark.is_null() ? 0 : error.mark.line + 1, "is not valid YAML: " + printable(error.msg),
         "a bracket or quote left open, a tab, or the file was cut off?");
  }
  if (!document.IsDefined() || document.IsNull()) fail(0, "is empty", std::string(begin));
  return document;
}

}  // namespace fathom::yaml
