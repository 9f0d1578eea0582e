// Lexer: a cursor over the text that hands out tokens as the parser asks for them.
//
// The parser knows what may come next, so a character may mean two things: `%` starts the name of a value, and divides
// in a size. Blanks, line ends and `//` comments separate tokens; `line_start` tells where a line begins.
//
// Ownership  views the text, which must outlive it; keeps the strings that it had to unescape. Every view it hands out
//            lives as long as the Lexer and the text.
// Failure    Code::bad_text with `file:line:column` (which counts bytes), what was expected and what is there.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "program/error.h"

namespace ingot::text {

// A number as it is written; the reader knows what it should become.
struct Number {
  std::string_view text;  // `-12`, `2.5e-3`, `nan`, `-inf`
  bool integer;
  size_t at;
};

// The number nearest to the text, `nan` and `-inf` included. None where it is beyond the range of T.
template <class T>
std::optional<T> real_of(std::string_view text);
template <class T>
std::optional<T> integer_of(std::string_view text);

int hex_digit(char c);      // -1 where it is none
bool is_name_char(char c);  // what may follow % and @ without quotes
// Whether the name can stand without quotes.
bool is_bare_name(std::string_view name);
// Whether %text stands for a value without a name: `12`, or `12.1`.
bool is_value_number(std::string_view text);

class Lexer {
 public:
  Lexer(std::string_view text, std::string_view file);

  // The next token: where it is, and whether it is the first of its line.
  size_t at() const { return position_; }
  bool line_start() const { return line_start_; }
  bool at_end() const { return position_ == text_.size(); }
  bool starts_with(std::string_view token) const { return text_.substr(position_).starts_with(token); }
  bool at_word(std::string_view word) const;
  bool at_number() const;   // `nan` and `inf` included
  bool at_integer() const;  // digits, after a minus or not
  // A word that goes straight on with [ or <.
  bool at_type() const;
  size_t remaining() const { return text_.size() - position_; }

  bool accept(std::string_view token);
  bool accept_word(std::string_view word);
  void expect(std::string_view token, std::string_view where);
  void expect_word(std::string_view word, std::string_view where);
  // Throws unless a new line, `}` or the end comes next.
  void expect_line_end() const;

  std::string_view identifier(std::string_view what);
  // Bare, or in quotes.
  std::string_view name(std::string_view what);
  // The name after % or @, which must follow at once.
  std::string_view name_after(char sigil, std::string_view what);
  std::string_view string(std::string_view what);
  Number number(std::string_view what);
  int64_t integer(std::string_view what);
  double real(std::string_view what);
  bool boolean(std::string_view what);

  // `expected what, got token`, at the next token.
  [[noreturn]] void fail_expected(std::string_view what) const;
  [[noreturn]] void fail(size_t at, std::string message) const;
  std::string place(size_t at) const;

 private:
  std::string_view run(bool (*member)(char)) const;
  std::string_view take(size_t count);
  std::string_view bare_name() const;
  std::string next_token() const;
  void skip_blanks();
  void check_plain(std::string_view body, size_t at) const;
  std::string_view unescape(std::string_view body, size_t at);
  char escape(std::string_view body, size_t& i, size_t at) const;

  std::string_view text_, file_;
  size_t position_ = 0;
  bool line_start_ = true;
  std::deque<std::string> unescaped_;
};

// The text between quotes for `string` to read back: escapes for quotes, control characters and what is not UTF-8.
std::string quoted(std::string_view text);

}  // namespace ingot::text
