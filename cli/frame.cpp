#include "cli/frame.hpp"

#include <array>
#include <cstring>
#include <stdexcept>

#include "fathom/base/error.hpp"

namespace fathom::cli {
namespace {

using Head = std::array<std::int32_t, 4>;  // kind, number, campaign, bytes of the payload

void put(std::string& out, const std::string& text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  out.append(reinterpret_cast<const char*>(&size), sizeof size).append(text);
}

std::string take(const std::string& in, std::size_t& at) {
  std::uint32_t size = 0;
  std::memcpy(&size, in.data() + at, sizeof size);
  at += sizeof size + size;
  return in.substr(at - size, size);
}

}  // namespace

std::string to_bytes(const Frame& frame) {
  const Head head{static_cast<std::int32_t>(frame.kind), frame.number, frame.campaign,
                  static_cast<std::int32_t>(frame.payload.size())};
  return std::string(reinterpret_cast<const char*>(head.data()), sizeof head) + frame.payload;
}

std::optional<Frame> FrameStream::next() {
  Head head{};
  if (bytes_.size() < sizeof head) return std::nullopt;
  std::memcpy(head.data(), bytes_.data(), sizeof head);
  const auto size = static_cast<std::size_t>(head[3]);
  if (bytes_.size() < sizeof head + size) return std::nullopt;
  Frame frame{static_cast<Frame::Kind>(head[0]), head[1], bytes_.substr(sizeof head, size), head[2]};
  bytes_.erase(0, sizeof head + size);
  return frame;
}

std::string pack(const std::vector<double>& numbers) {
  return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
}

std::vector<double> unpack_numbers(const std::string& payload) {
  std::vector<double> numbers(payload.size() / sizeof(double));
  if (!numbers.empty()) std::memcpy(numbers.data(), payload.data(), numbers.size() * sizeof(double));
  return numbers;
}

std::string pack(const std::exception_ptr& error) {
  std::string out;
  try {
    std::rethrow_exception(error);
  } catch (const InputError& input) {
    out = "i";
    for (const Finding& finding : input.findings())
      for (const std::string& text : {std::to_string(static_cast<int>(finding.severity)), finding.file,
                                      std::to_string(finding.line), finding.key, finding.message, finding.hint})
        put(out, text);
  } catch (const std::exception& other) {
    out = std::string("e") + other.what();
  } catch (...) {
    out = "ean exception that is no std::exception";
  }
  return out;
}

std::exception_ptr unpack_error(const std::string& payload) {
  if (payload.empty() || payload.front() != 'i')
    return std::make_exception_ptr(std::runtime_error(payload.substr(payload.empty() ? 0 : 1)));
  Findings findings;
  for (std::size_t at = 1; at < payload.size();) {
    Finding finding;
    finding.severity = static_cast<Severity>(std::stoi(take(payload, at)));
    finding.file = take(payload, at);
    finding.line = std::stoi(take(payload, at));
    finding.key = take(payload, at);
    finding.message = take(payload, at);
    finding.hint = take(payload, at);
    findings.push_back(std::move(finding));
  }
  return std::make_exception_ptr(InputError(std::move(findings)));
}

}  // namespace fathom::cli
