#include "schema/generator/source_text.h"

#include <algorithm>
#include <cctype>

namespace ingot::schema {
namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Words and single characters; comments and strings are left out.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  // Empty at the end.
  std::string_view next() {
    while (const size_t count = blank()) text_.remove_prefix(count);
    const auto end = std::find_if_not(text_.begin(), text_.end(), in_word);
    const std::string_view token = text_.substr(0, std::max<size_t>(1, static_cast<size_t>(end - text_.begin())));
    text_.remove_prefix(token.size());
    return token;
  }

 private:
  // Characters at the front that belong to no token.
  size_t blank() const {
    if (text_.empty()) return 0;
    if (std::isspace(static_cast<unsigned char>(text_[0]))) return 1;
    if (text_.starts_with("//")) return std::min(text_.find('\n'), text_.size());
    if (text_.starts_with("/*")) return std::min(text_.find("*/", 2), text_.size() - 2) + 2;
    return text_.starts_with('"') ? string_length() : 0;
  }
  size_t string_length() const {
    size_t end = 1;
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text_.size());
  }

  std::string_view text_;
};

}  // namespace

// table Name (attributes) { name: type = default (attributes); … }
std::set<std::string> written_defaults(std::string_view text) {
  std::set<std::string> written;
  Tokens tokens(text);
  for (std::string_view word = tokens.next(); !word.empty(); word = tokens.next()) {
    if (word != "table") continue;
    const std::string table(tokens.next());
    while (!word.empty() && word != "{") word = tokens.next();
    std::string_view field = tokens.next();
    while (!field.empty() && field != "}") {
      for (word = tokens.next(); !word.empty() && word != ";"; word = tokens.next()) {
        if (word == "=") written.insert(table + "." + std::string(field));
      }
      field = tokens.next();
    }
  }
  return written;
}

std::set<std::string> declared_types(std::string_view text) {
  std::set<std::string> declared;
  Tokens tokens(text);
  for (std::string_view word = tokens.next(); !word.empty(); word = tokens.next()) {
    if (word == "table" || word == "struct" || word == "enum" || word == "union") declared.emplace(tokens.next());
  }
  return declared;
}

}  // namespace ingot::schema
