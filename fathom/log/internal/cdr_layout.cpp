#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/log/internal/cdr.hpp"

namespace fathom::log::internal {
namespace {

using Step = Layout::Step;
using Kind = Layout::Step::Kind;

// No message of people has as many; a definition that was made to be evil has.
constexpr int most_nested = 32;
constexpr std::size_t most_fields = 100'000;
constexpr std::uint64_t most_numbers = std::uint64_t{1} << 30;

std::optional<Number> number_of(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, Number>, 13> numbers = {{{"bool", Number::uint8},
                                                                            {"byte", Number::uint8},
                                                                            {"char", Number::uint8},
                                                                            {"int8", Number::int8},
                                                                            {"uint8", Number::uint8},
                                                                            {"int16", Number::int16},
                                                                            {"uint16", Number::uint16},
                                                                            {"int32", Number::int32},
                                                                            {"uint32", Number::uint32},
                                                                            {"int64", Number::int64},
                                                                            {"uint64", Number::uint64},
                                                                            {"float32", Number::float32},
                                                                            {"float64", Number::float64}}};
  for (const auto& [name, number] : numbers)
    if (name == type) return number;
  return {};
}

/// Turns definitions into steps.
class LayoutMaker {
 public:
  LayoutMaker(const Definitions& definitions, std::span<const std::uint32_t> lengths)
      : definitions_(definitions), lengths_(lengths) {}

  Layout make(const std::string& type) {
    message(type, "", true, 0);
    return std::move(layout_);
  }

 private:
  void message(const std::string& type, const std::string& prefix, bool kept, int depth) {
    const auto found = definitions_.find(type);
    if (found == definitions_.end()) reject("", "there is no definition of " + printable(type));
    if (depth > most_nested)
      reject("", fmt::format("{} is nested more than {} deep", printable(type), most_nested));
    for (const Field& field : found->second) {
      if (++fields_ > most_fields) reject("", fmt::format("has more than {} fields", most_fields));
      add(field, prefix + field.name, kept, depth);
    }
  }

  void add(const Field& field, const std::string& path, bool kept, int depth) {
    const std::optional<Number> number = number_of(field.type);
    switch (field.count) {
      case Field::Count::one: return element(field.type, path, kept, depth);
      case Field::Count::sequence:
        if (number) return sequence(*number, path, kept);
        return repeat(field.type, 0, depth);
      case Field::Count::fixed: break;
    }
    const bool columns = kept && field.length <= most_of_array;
    if (number && !columns) return numbers(*number, field.length, false);
    if (!columns || field.type == "string" || field.type == "wstring")
      return repeat(field.type, field.length, depth);
    for (std::uint32_t k = 0; k < field.length; ++k)
      element(field.type, fmt::format("{}[{}]", path, k), true, depth);
  }

  void element(const std::string& type, const std::string& path, bool kept, int depth) {
    const bool is_time = type == "builtin_interfaces/Time", is_duration = type == "builtin_interfaces/Duration";
    if (const std::optional<Number> number = number_of(type)) {
      if (kept) column(path);
      numbers(*number, 1, kept);
    } else if (type == "string" || type == "wstring") {
      push({.kind = type == "string" ? Kind::text : Kind::wide_text});
    } else if ((is_time || is_duration) && kept) {
      column(path);
      push({.kind = is_time ? Kind::time : Kind::duration, .kept = true, .column = last_column()});
    } else {
      message(type, path + ".", kept, depth + 1);
    }
  }

  /// Lengths come from the first message; before that is known, the sequence has no columns.
  void sequence(Number number, const std::string& path, bool kept) {
    Step step{.kind = Kind::sequence, .number = number, .kept = kept};
    if (kept && next_length_ < lengths_.size()) {
      const std::uint32_t length = lengths_[next_length_++];
      step.kept = length <= most_of_sequence;
      step.count = step.kept ? length : 0;
    }
    step.column = static_cast<std::uint32_t>(layout_.columns.size());
    for (std::uint32_t k = 0; k < step.count; ++k) column(fmt::format("{}[{}]", path, k));
    push(step);
  }

  void repeat(const std::string& type, std::uint32_t times, int depth) {
    const std::size_t place = layout_.steps.size();
    push({.kind = Kind::repeat, .count = times});
    element(type, "", false, depth);
    layout_.steps[place].body = static_cast<std::uint32_t>(layout_.steps.size() - place - 1);
    sealed_ = layout_.steps.size();
  }

  /// Neighbours of one kind are one step: without padding between them it is one copy.
  void numbers(Number number, std::uint64_t count, bool kept) {
    if (layout_.steps.size() > sealed_) {
      Step& last = layout_.steps.back();
      if (last.kind == Kind::numbers && last.number == number && last.kept == kept) {
        if (last.count + count > most_numbers) reject("", "has more than 2^30 numbers");
        last.count += static_cast<std::uint32_t>(count);
        return;
      }
    }
    if (count > most_numbers) reject("", "has more than 2^30 numbers");
    push({.number = number,
          .kept = kept,
          .count = static_cast<std::uint32_t>(count),
          .column = kept ? last_column() : 0});
  }

  void column(const std::string& path) {
    if (layout_.columns.size() >= most_columns)
      reject("", fmt::format("has more than {} numbers in each message", most_columns));
    layout_.columns.push_back(path);
  }
  std::uint32_t last_column() const { return static_cast<std::uint32_t>(layout_.columns.size() - 1); }
  void push(const Step& step) { layout_.steps.push_back(step); }

  const Definitions& definitions_;
  std::span<const std::uint32_t> lengths_;
  std::size_t next_length_ = 0, fields_ = 0;
  std::size_t sealed_ = 0;  ///< steps before this place belong to a body that is closed
  Layout layout_;
};

}  // namespace

Layout layout_of(std::string_view type, const Definitions& definitions, std::span<const std::byte> first) {
  const std::string name = short_type(type);
  Layout layout = LayoutMaker(definitions, {}).make(name);
  if (first.empty()) return layout;
  std::vector<double> row(layout.columns.size());
  if (decode(layout, first, 0, row) == Decoded::unreadable)
    reject("", "its first message does not fit the definition", "is it of another release of ROS?");
  return LayoutMaker(definitions, sequence_lengths(layout, first)).make(name);
}

}  // namespace fathom::log::internal
