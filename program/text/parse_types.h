// Types, sizes, enum values and scalars, as they occur in declarations and attributes.
//
// Failure    Code::bad_text where the text is wrong; the code of Dim or of the scheme where it says something that
//            cannot be. Either with its place.
#pragma once

#include <complex>
#include <span>
#include <string>
#include <string_view>

#include "program/scalar.h"
#include "program/text/lexer.h"
#include "program/text/names.h"
#include "program/type.h"

namespace ingot::text {

TensorType parse_type(Lexer& lexer, const Declared& declared);  // `f32[2, S + 1]`
Shape parse_shape(Lexer& lexer, const Declared& declared);      // `[2, S + 1]`
Dim parse_dim(Lexer& lexer, const Declared& declared);          // `S + 1`
QuantScheme parse_scheme(Lexer& lexer);                         // `packed<affine, bits=4, group=64, scale=f16>`
Scalar parse_scalar(Lexer& lexer);                              // `7`, `2.5`, `complex(1, -2)`, `true`
std::complex<float> parse_complex(Lexer& lexer);                // `complex(1, -2)`

// `open item, item close`, where a comma may follow the last item.
template <class F>
void parse_list(Lexer& lexer, std::string_view open, std::string_view close, std::string_view where, F&& item) {
  lexer.expect(open, where);
  while (!lexer.accept(close)) {
    item();
    if (lexer.accept(",")) continue;
    if (!lexer.starts_with(close)) lexer.fail_expected(fmt::format("',' or '{}' {}", close, where));
  }
}

// Throws Code::limit. Ops can add up ranks, so it is asked for every type as it is made, not only at the end.
void check_rank(const Shape& shape, const Limits& limits);

// One of `names`, as its index.
size_t parse_choice(Lexer& lexer, std::string_view what, std::span<const std::string_view> names);

template <SchemaEnum E>
E parse_enum_value(Lexer& lexer, std::string_view what) {
  return static_cast<E>(parse_choice(lexer, what, EnumNames<E>::names));
}

}  // namespace ingot::text
