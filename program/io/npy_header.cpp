#include "program/io/npy_header.h"

#include <fmt/format.h>

#include <charconv>

#include "program/error.h"
#include "program/io/named_tensor.h"

namespace ingot {

namespace {

// As much of Python's literals as a header has: one dict of a string, a bool and a tuple of integers.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  NpyHeader parse() {
    NpyHeader header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string("a key");
      expect(':');
      if (key == "descr") {
        once(descr, key);
        header.descr = read_descr();
      } else if (key == "fortran_order") {
        once(order, key);
        header.fortran_order = boolean();
      } else if (key == "shape") {
        once(shape, key);
        header.shape = tuple();
      } else {
        fail(fmt::format("an unknown key {}", quote(key)), "'descr', 'fortran_order' or 'shape'");
      }
      if (peek() != '}') expect(',');
    }
    end();
    if (descr && order && shape) return header;
    throw Error(Code::bad_file, fmt::format("header has no '{}'", !descr   ? "descr"
                                                                  : !order ? "fortran_order"
                                                                           : "shape"))
        .in_op("npy");
  }

 private:
  [[noreturn]] void fail(std::string actual, std::string expected) const {
    throw Error::mismatch(Code::bad_file, "npy", fmt::format("byte {} of the header", at_), std::move(actual),
                          std::move(expected));
  }

  std::string here() const { return at_ < text_.size() ? quote(text_.substr(at_, 1)) : "the end"; }

  void once(bool& seen, std::string_view key) {
    if (std::exchange(seen, true)) fail(fmt::format("a second '{}'", key), "each key once");
  }

  // The next character that is no space; 0 at the end.
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(here(), fmt::format("'{}'", c));
  }

  void end() {
    peek();
    if (at_ != text_.size()) fail(here(), "the end");
  }

  std::string_view string(std::string_view what) {
    const char mark = peek();
    if (mark != '\'' && mark != '"') fail(here(), fmt::format("{}, in quotes", what));
    const size_t close = text_.find(mark, at_ + 1);
    if (close == std::string_view::npos) fail("an unterminated string", "a closing quote");
    const std::string_view result = text_.substr(at_ + 1, close - at_ - 1);
    at_ = close + 1;
    return result;
  }

  std::string read_descr() {
    if (peek() == '[') {
      throw Error::mismatch(Code::unsupported, "npy", "dtype", fmt::format("structured ({})", quote(text_.substr(at_))),
                            "a number or bool");
    }
    return std::string(string("a dtype"));
  }

  bool boolean() {
    peek();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return value;
    }
    fail(here(), "True or False");
  }

  int64_t integer() {
    peek();
    int64_t value = 0;
    const auto [rest, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail("a size that overflows", "an integer from 0 to 2^63 - 1");
    if (error != std::errc() || value < 0) fail(here(), "an integer from 0 to 2^63 - 1");
    at_ = static_cast<size_t>(rest - text_.data());
    accept('L');  // Python 2 wrote (3L, 4L)
    return value;
  }

  Sizes tuple() {
    Sizes sizes;
    expect('(');
    while (!accept(')')) {
      sizes.push_back(integer());
      // A single size without a comma is a number in brackets, not a tuple.
      if (peek() != ')' || sizes.size() == 1) expect(',');
    }
    return sizes;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text) { return HeaderParser(text).parse(); }

}  // namespace ingot
