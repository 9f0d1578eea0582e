#include "program/einsum.h"

#include <fmt/format.h>

#include <algorithm>

#include "program/error.h"

namespace ingot {
namespace {

constexpr std::string_view kArrow = "->", kEllipsis = "...";

bool is_letter(char c) { return ('A' <= c && c <= 'Z') || ('a' <= c && c <= 'z'); }

[[noreturn]] void refuse(std::string_view text, std::string expected) {
  throw Error::mismatch(Code::invalid_argument, "", "equation", fmt::format("'{}'", text), std::move(expected));
}

// One side of a comma or of the arrow: letters, and where among them `...` stands.
struct Term {
  std::string letters;
  size_t ellipsis = std::string::npos;

  bool has_ellipsis() const { return ellipsis != std::string::npos; }
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), rest_(text) {}

  void run() {
    inputs.emplace_back();
    for (skip(); !rest_.empty(); skip()) {
      if (take(kArrow)) {
        if (explicit_result) refuse(text_, "'->' at most once");
        explicit_result = true;
      } else if (!explicit_result && take(",")) {
        inputs.emplace_back();
      } else {
        add(explicit_result ? result : inputs.back());
      }
    }
  }

  std::vector<Term> inputs;
  Term result;
  bool explicit_result = false;

 private:
  void skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void add(Term& term) {
    if (take(kEllipsis)) {
      if (term.has_ellipsis()) refuse(text_, "'...' at most once between commas");
      term.ellipsis = term.letters.size();
      return;
    }
    const char next = rest_.front();
    if (!is_letter(next)) refuse(text_, fmt::format("letters, ',', '...' and '->' (not '{}')", printable(next)));
    term.letters += next;
    rest_.remove_prefix(1);
  }
  static std::string printable(char c) {
    const auto code = static_cast<unsigned char>(c);
    return code < 0x20 || code >= 0x7f ? fmt::format("\\x{:02x}", code) : std::string(1, c);
  }

  std::string_view text_, rest_;
};

// A label for each letter, and `hidden` of them where `...` stands.
Labels labels_of(const Term& term, size_t hidden) {
  Labels labels(term.letters.begin(), term.letters.end());
  if (!term.has_ellipsis()) return labels;
  Labels added;
  for (size_t i = hidden; i > 0; --i) added.push_back(-static_cast<Label>(i));
  labels.insert(labels.begin() + static_cast<std::ptrdiff_t>(term.ellipsis), added.begin(), added.end());
  return labels;
}

// How many axes `...` stands for in an operand.
size_t hidden_axes(const Term& term, size_t operand, size_t rank) {
  const size_t letters = term.letters.size();
  if (letters == rank || (term.has_ellipsis() && letters < rank)) return rank - letters;
  throw Error::mismatch(Code::type_mismatch, "", fmt::format("number of letters for operand {}", operand),
                        fmt::format("{}", letters),
                        fmt::format("{}{} (its rank)", term.has_ellipsis() ? "at most " : "", rank));
}

// How often each letter stands in the operands.
using Counts = std::map<char, size_t>;

// Behind `->` every letter stands once, and in an operand too.
void check_result(std::string_view text, const Term& result, const Counts& counts) {
  Counts seen;
  for (char letter : result.letters) {
    if (++seen[letter] > 1) refuse(text, fmt::format("'{}' once behind '->'", letter));
    if (!counts.contains(letter)) refuse(text, fmt::format("'{}' in front of '->' too", letter));
  }
}

// Without an arrow: the letters that occur once, in order, behind what `...` stands for.
Term implicit_result(const Counts& counts) {
  Term result;
  result.ellipsis = 0;
  for (const auto& [letter, count] : counts) {
    if (count == 1) result.letters += letter;
  }
  return result;
}

}  // namespace

Labels Equation::summed() const {
  Labels all;
  for (const Labels& labels : operands) all.insert(all.end(), labels.begin(), labels.end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::erase_if(all, [&](Label label) { return std::ranges::find(result, label) != result.end(); });
  return all;
}

Equation parse_equation(std::string_view text, std::span<const size_t> ranks) {
  Parser parser(text);
  parser.run();
  if (parser.inputs.size() != ranks.size()) {
    throw Error::mismatch(Code::type_mismatch, "", "number of operands", fmt::format("{}", ranks.size()),
                          fmt::format("{} (as the equation has)", parser.inputs.size()));
  }
  Equation equation;
  Counts counts;
  size_t hidden = 0;
  for (size_t i = 0; i < ranks.size(); ++i) {
    const size_t axes = hidden_axes(parser.inputs[i], i, ranks[i]);
    equation.operands.push_back(labels_of(parser.inputs[i], axes));
    hidden = std::max(hidden, axes);
    for (char letter : parser.inputs[i].letters) ++counts[letter];
  }
  if (parser.explicit_result) check_result(text, parser.result, counts);
  equation.result = labels_of(parser.explicit_result ? parser.result : implicit_result(counts), hidden);
  return equation;
}

}  // namespace ingot
