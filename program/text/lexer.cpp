#include "program/text/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "program/dim.h"

namespace ingot::text {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// How much of a token a message shows.
constexpr size_t kShown = 40;

// Bytes of the UTF-8 character at the start, 0 where there is none: no overlong forms, no surrogates.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0);
  const size_t length = first < 0x80   ? 1
                        : first < 0xc2 ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                        : first < 0xf5 ? 4
                                       : 0;
  for (size_t i = 1; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  }
  const bool wrong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
                     (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f);
  return wrong ? 0 : length;
}

}  // namespace

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool is_name_char(char c) { return is_identifier_char(c) || c == '.' || c == '$' || c == '/' || c == '-'; }

bool is_value_number(std::string_view text) {
  const auto all_digits = [](std::string_view part) {
    return !part.empty() && std::all_of(part.begin(), part.end(), is_digit);
  };
  const size_t point = text.find('.');
  return all_digits(text.substr(0, point)) && (point == text.npos || all_digits(text.substr(point + 1)));
}

bool is_bare_name(std::string_view name) {
  // Two slashes begin a comment.
  return !name.empty() && std::all_of(name.begin(), name.end(), is_name_char) && name.find("//") == name.npos;
}

template <class T>
std::optional<T> real_of(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view body = text.substr(negative);
  T value;
  if (body == "inf" || body == "nan") {
    value = body == "inf" ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::quiet_NaN();
  } else {
    const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), value);
    if (error != std::errc() || end != body.data() + body.size()) return {};
  }
  return negative ? -value : value;
}
template std::optional<float> real_of<float>(std::string_view);
template std::optional<double> real_of<double>(std::string_view);

template <class T>
std::optional<T> integer_of(std::string_view text) {
  T value;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}
template std::optional<int64_t> integer_of<int64_t>(std::string_view);
template std::optional<uint64_t> integer_of<uint64_t>(std::string_view);

// ------------------------------------------------------------------------------------------------------------- cursor

Lexer::Lexer(std::string_view text, std::string_view file) : text_(text), file_(file) {
  skip_blanks();
  line_start_ = true;
}

void Lexer::skip_blanks() {
  line_start_ = false;
  for (; !at_end(); ++position_) {
    const char c = text_[position_];
    if (starts_with("//")) position_ = std::min(text_.find('\n', position_), text_.size());
    if (at_end()) return;
    if (text_[position_] == '\n') {
      line_start_ = true;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return;
    }
  }
}

std::string_view Lexer::run(bool (*member)(char)) const {
  size_t end = position_;
  while (end < text_.size() && member(text_[end])) ++end;
  return text_.substr(position_, end - position_);
}

std::string_view Lexer::bare_name() const {
  const std::string_view all = run(is_name_char);
  return all.substr(0, all.find("//"));
}

std::string_view Lexer::take(size_t count) {
  const std::string_view token = text_.substr(position_, count);
  position_ += count;
  skip_blanks();
  return token;
}

bool Lexer::at_word(std::string_view word) const { return run(is_identifier_char) == word; }

bool Lexer::at_integer() const {
  const std::string_view rest = text_.substr(position_);
  const std::string_view body = rest.substr(rest.starts_with('-'));
  return !body.empty() && is_digit(body[0]);
}

bool Lexer::at_number() const {
  const std::string_view rest = text_.substr(position_);
  const std::string_view body = rest.substr(rest.starts_with('-'));
  return at_integer() || body.starts_with("inf") || body.starts_with("nan");
}

bool Lexer::at_type() const {
  const std::string_view word = run(is_identifier_char);
  const size_t end = position_ + word.size();
  return !word.empty() && end < text_.size() && (text_[end] == '[' || text_[end] == '<');
}

bool Lexer::accept(std::string_view token) {
  if (!starts_with(token)) return false;
  take(token.size());
  return true;
}

bool Lexer::accept_word(std::string_view word) {
  if (!at_word(word)) return false;
  take(word.size());
  return true;
}

void Lexer::expect(std::string_view token, std::string_view where) {
  if (!accept(token)) fail_expected(fmt::format("'{}' {}", token, where));
}

void Lexer::expect_word(std::string_view word, std::string_view where) {
  if (!accept_word(word)) fail_expected(fmt::format("'{}' {}", word, where));
}

void Lexer::expect_line_end() const {
  if (!line_start_ && !at_end() && !starts_with("}")) fail_expected("the end of the line");
}

// ------------------------------------------------------------------------------------------------------------- tokens

std::string_view Lexer::identifier(std::string_view what) {
  const std::string_view word = run(is_identifier_char);
  if (!is_identifier(word)) fail_expected(what);
  return take(word.size());
}

std::string_view Lexer::name(std::string_view what) {
  if (!starts_with("\"")) {
    const std::string_view bare = bare_name();
    if (bare.empty()) fail_expected(what);
    return take(bare.size());
  }
  const size_t start = position_;
  const std::string_view text = string(what);
  if (text.empty()) fail(start, fmt::format("{} is empty", what));
  return text;
}

std::string_view Lexer::name_after(char sigil, std::string_view what) {
  if (!starts_with({&sigil, 1})) fail_expected(what);
  ++position_;
  if (bare_name().empty() && !starts_with("\"")) {
    --position_;
    fail(position_, fmt::format("'{}' is not followed by a name", sigil));
  }
  return name(what);
}

std::string_view Lexer::string(std::string_view what) {
  const size_t start = position_;
  if (!starts_with("\"")) fail_expected(what);
  size_t end = start + 1;
  while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
  if (end >= text_.size() || text_[end] == '\n') fail(start, "the string that begins here has no end on its line");
  const std::string_view body = text_.substr(start + 1, end - start - 1);
  take(end + 1 - start);
  check_plain(body, start + 1);
  return unescape(body, start + 1);
}

// Other bytes could hide what a reader of the text does not see.
void Lexer::check_plain(std::string_view body, size_t at) const {
  for (size_t i = 0; i < body.size();) {
    const size_t length = utf8_length(body.substr(i));
    if (length == 0) fail(at + i, "a string is UTF-8; other bytes are written as \\xHH");
    if (is_control(body[i])) fail(at + i, "a string has no control characters; they are written as \\n, \\t or \\xHH");
    i += length;
  }
}

std::string_view Lexer::unescape(std::string_view body, size_t at) {
  if (body.find('\\') == body.npos) return body;
  std::string& out = unescaped_.emplace_back();
  for (size_t i = 0; i < body.size(); ++i) out += body[i] == '\\' ? escape(body, i, at) : body[i];
  return out;
}

// The character that the escape at i stands for; leaves i on its last character.
char Lexer::escape(std::string_view body, size_t& i, size_t at) const {
  const size_t start = i++;
  switch (body[i]) {
    case '"':
    case '\\': return body[i];
    case 'n': return '\n';
    case 't': return '\t';
    case 'x': break;
    default: fail(at + start, "an escape is one of \\\" \\\\ \\n \\t \\xHH");
  }
  if (body.size() - i < 3 || hex_digit(body[i + 1]) < 0 || hex_digit(body[i + 2]) < 0) {
    fail(at + start, "\\x is followed by two hexadecimal digits");
  }
  i += 2;
  return static_cast<char>(hex_digit(body[i - 1]) * 16 + hex_digit(body[i]));
}

Number Lexer::number(std::string_view what) {
  if (!at_number()) fail_expected(what);
  const size_t start = position_;
  size_t end = start + (text_[start] == '-');
  bool integer = is_digit(text_[end]);
  const auto digits = [&] {
    while (end < text_.size() && is_digit(text_[end])) ++end;
  };
  const auto next_is = [&](std::string_view set, size_t ahead = 0) {
    return end + ahead < text_.size() && set.find(text_[end + ahead]) != set.npos;
  };
  if (!integer) end += 3;  // inf, nan
  digits();
  if (integer && next_is(".") && !next_is(".", 1)) {
    integer = false;
    ++end;
    digits();
  }
  if (next_is("eE") && is_digit(text_[end - 1])) {
    integer = false;
    end += next_is("+-", 1) ? 2 : 1;
    digits();
  }
  if (end < text_.size() && is_identifier_char(text_[end])) fail_expected(what);
  return {take(end - start), integer, start};
}

int64_t Lexer::integer(std::string_view what) {
  const Number token = number(what);
  const auto value = token.integer ? integer_of<int64_t>(token.text) : std::nullopt;
  if (!value) fail(token.at, fmt::format("expected {}, got {}, which is no i64", what, token.text.substr(0, kShown)));
  return *value;
}

double Lexer::real(std::string_view what) {
  const Number token = number(what);
  const auto value = real_of<double>(token.text);
  if (!value)
    fail(token.at, fmt::format("expected {}, got {}, which f64 does not hold", what, token.text.substr(0, kShown)));
  return *value;
}

bool Lexer::boolean(std::string_view what) {
  if (accept_word("true")) return true;
  if (!accept_word("false")) fail_expected(fmt::format("true or false for {}", what));
  return false;
}

// ------------------------------------------------------------------------------------------------------------- errors

std::string Lexer::next_token() const {
  if (at_end()) return "the end of the text";
  std::string_view token = run(is_name_char);
  if (starts_with("%") || starts_with("@")) {
    size_t end = position_ + 1;
    while (end < text_.size() && is_name_char(text_[end])) ++end;
    token = text_.substr(position_, end - position_);
  }
  if (starts_with("\"")) return "a string";
  if (token.empty()) token = text_.substr(position_, std::max<size_t>(1, utf8_length(text_.substr(position_))));
  const std::string shown = quoted(token.substr(0, kShown));
  return fmt::format("'{}{}'", std::string_view(shown).substr(1, shown.size() - 2), token.size() > kShown ? "…" : "");
}

void Lexer::fail_expected(std::string_view what) const {
  fail(position_, fmt::format("expected {}, got {}", what, next_token()));
}

void Lexer::fail(size_t at, std::string message) const {
  throw Error(Code::bad_text, std::move(message)).at_place(place(at));
}

std::string Lexer::place(size_t at) const {
  const std::string_view before = text_.substr(0, at);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t column = at - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
  return fmt::format("{}:{}:{}", file_, line, column);
}

// ------------------------------------------------------------------------------------------------------------- quotes

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    const size_t length = utf8_length(text.substr(i));
    if (c == '"' || c == '\\') {
      out.append({'\\', c});
    } else if (c == '\n' || c == '\t') {
      out += c == '\n' ? "\\n" : "\\t";
    } else if (length == 0 || is_control(c)) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += text.substr(i, length);
    }
    i += std::max<size_t>(length, 1);
  }
  return out + "\"";
}

}  // namespace ingot::text
