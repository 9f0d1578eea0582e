#include "program/text/parse_types.h"

#include <fmt/format.h>

#include <limits>
#include <span>

namespace ingot::text {
namespace {

// Parentheses and calls within one another; Dim itself allows fewer, but checks after they are read.
constexpr int kMaxNesting = 64;

// sum     = product { (+ | -) product }
// product = factor { (* | / | %) factor }
// factor  = { - } (integer | symbol | (sum) | min(sum, sum) | max(sum, sum) | ceil(sum, sum))
class DimParser {
 public:
  DimParser(Lexer& lexer, const Declared& declared) : lexer_(lexer), declared_(declared) {}

  Dim sum() {
    if (++nesting_ > kMaxNesting) lexer_.fail(lexer_.at(), fmt::format("a size nests deeper than {}", kMaxNesting));
    Dim value = product();
    for (;;) {
      if (lexer_.accept("+")) {
        value = value + product();
      } else if (!lexer_.starts_with("->") && lexer_.accept("-")) {
        value = value - product();
      } else {
        --nesting_;
        return value;
      }
    }
  }

 private:
  Dim product() {
    Dim value = factor();
    for (;;) {
      if (lexer_.accept("*")) {
        value = value * factor();
      } else if (lexer_.accept("/")) {
        value = floor_div(value, factor());
      } else if (lexer_.accept("%")) {
        value = mod(value, factor());
      } else {
        return value;
      }
    }
  }

  Dim factor() {
    bool negative = false;
    while (!lexer_.at_integer() && lexer_.accept("-")) negative = !negative;
    const Dim value = atom();
    return negative ? 0 - value : value;
  }

  Dim atom() {
    if (lexer_.accept("(")) {
      Dim value = sum();
      lexer_.expect(")", "in a size");
      return value;
    }
    if (lexer_.at_integer()) return lexer_.integer("a size");
    const size_t at = lexer_.at();
    const std::string_view word = lexer_.identifier("a size");
    if (lexer_.starts_with("(")) return call(word, at);
    return declared_.program.symbols[declared_.symbols.find(lexer_, at, word).id];
  }

  Dim call(std::string_view function, size_t at) {
    struct Function {
      std::string_view name;
      Dim (*apply)(const Dim&, const Dim&);
    };
    static constexpr Function functions[] = {{"min", min}, {"max", max}, {"ceil", ceil_div}};
    for (const Function& known : functions) {
      if (known.name != function) continue;
      lexer_.expect("(", "in a size");
      const Dim a = sum();
      lexer_.expect(",", "in a size");
      const Dim b = sum();
      lexer_.expect(")", "in a size");
      return known.apply(a, b);
    }
    lexer_.fail(at, fmt::format("unknown function '{}' in a size, expected min, max or ceil", shown(function)));
  }

  Lexer& lexer_;
  const Declared& declared_;
  int nesting_ = 0;
};

// f(), whose error gets the place.
template <class F>
auto placed(const Lexer& lexer, size_t at, F&& f) {
  try {
    return f();
  } catch (Error& error) {
    throw error.at_place(lexer.place(at));
  }
}

void parse_scheme_field(Lexer& lexer, QuantScheme& scheme) {
  static constexpr std::string_view fields[] = {"bits", "group", "scale"};
  const size_t field = parse_choice(lexer, "field of a scheme", fields);
  lexer.expect("=", "after the field of a scheme");
  const size_t at = lexer.at();
  if (field == 2) {
    scheme.scale = parse_enum_value<DType>(lexer, "dtype");
    return;
  }
  const int64_t value = lexer.integer("a number");
  if (value < 0 || value > std::numeric_limits<int>::max()) {
    lexer.fail(at, fmt::format("{} of a scheme is {}, expected at most {}", fields[field], value,
                               std::numeric_limits<int>::max()));
  }
  if (field == 0) scheme.bits = static_cast<int>(value);
  if (field == 1) scheme.group = value;
}

float parse_f32(Lexer& lexer) {
  const Number number = lexer.number("a part of a complex number");
  if (const auto value = real_of<float>(number.text)) return *value;
  lexer.fail(number.at, fmt::format("{} is beyond the range of f32", shown(number.text)));
}

}  // namespace

std::string shown(std::string_view name) {
  constexpr size_t longest = 80;
  const std::string start(name.substr(0, longest));
  return fmt::format("{}{}", is_bare_name(start) ? start : quoted(start), name.size() > longest ? "…" : "");
}

size_t parse_choice(Lexer& lexer, std::string_view what, std::span<const std::string_view> names) {
  const size_t at = lexer.at();
  const std::string_view word = lexer.identifier(what);
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == word) return i;
  }
  constexpr size_t few = 8;
  if (names.size() > few)
    lexer.fail(at, fmt::format("unknown {} '{}'{}", what, shown(word), did_you_mean(word, names)));
  lexer.fail(at, fmt::format("unknown {} '{}', expected one of {}", what, shown(word), fmt::join(names, ", ")));
}

void check_rank(const Shape& shape, const Limits& limits) {
  if (shape.size() <= limits.rank) return;
  throw Error::mismatch(Code::limit, "", "the number of axes", fmt::format("{}", shape.size()),
                        fmt::format("at most {}", limits.rank));
}

Dim parse_dim(Lexer& lexer, const Declared& declared) {
  return placed(lexer, lexer.at(), [&] { return DimParser(lexer, declared).sum(); });
}

Shape parse_shape(Lexer& lexer, const Declared& declared) {
  const size_t at = lexer.at();
  Shape shape;
  parse_list(lexer, "[", "]", "in a shape", [&] { shape.push_back(parse_dim(lexer, declared)); });
  placed(lexer, at, [&] { check_rank(shape, declared.limits); });
  return shape;
}

QuantScheme parse_scheme(Lexer& lexer) {
  const size_t at = lexer.at();
  QuantScheme scheme;
  lexer.expect_word("packed", "before a scheme");
  lexer.expect("<", "after packed");
  scheme.method = parse_enum_value<QuantMethod>(lexer, "quantisation method");
  while (lexer.accept(",")) parse_scheme_field(lexer, scheme);
  lexer.expect(">", "at the end of a scheme");
  placed(lexer, at, [&] { check(scheme); });
  return scheme;
}

TensorType parse_type(Lexer& lexer, const Declared& declared) {
  TensorType type;
  if (lexer.at_word("packed")) {
    type.dtype = DType::packed;
    type.scheme = parse_scheme(lexer);
  } else {
    type.dtype = parse_enum_value<DType>(lexer, "dtype");
  }
  type.shape = parse_shape(lexer, declared);
  return type;
}

std::complex<float> parse_complex(Lexer& lexer) {
  lexer.expect_word("complex", "before the parts of a complex number");
  lexer.expect("(", "after complex");
  const float real = parse_f32(lexer);
  lexer.expect(",", "between the parts of a complex number");
  const float imaginary = parse_f32(lexer);
  lexer.expect(")", "after a complex number");
  return {real, imaginary};
}

Scalar parse_scalar(Lexer& lexer) {
  if (lexer.accept_word("true")) return 1;
  if (lexer.accept_word("false")) return 0;
  if (lexer.at_word("complex")) return parse_complex(lexer);
  const Number number = lexer.number("a number");
  if (!number.integer) {
    if (const auto value = real_of<double>(number.text)) return *value;
  } else if (const auto value = integer_of<int64_t>(number.text)) {
    return *value;
  } else if (const auto large = integer_of<uint64_t>(number.text)) {
    return *large;
  }
  lexer.fail(number.at, fmt::format("{} is beyond the range of a scalar", shown(number.text)));
}

}  // namespace ingot::text
