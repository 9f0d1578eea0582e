// Contents of a tensor as text: `[1.0, -inf]`, `[true, false]`, `[complex(1.0, -2.0)]`, or its bytes as `hex"00ff"`.
//
// A list is row-major and flat. It is exact for every dtype; where it would not be (a NaN with a payload, a bool that
// is neither 0 nor 1, padding bits that are not 0, packed tensors) the bytes are written.
//
// Failure    Code::bad_text with the place. Nothing is allocated for elements that the text does not have.
#pragma once

#include <string>

#include "program/tensor.h"
#include "program/text/lexer.h"

namespace ingot::text {

void append_contents(std::string& out, const Tensor& tensor);

// Precondition: every size of the type is a literal.
Tensor parse_contents(Lexer& lexer, const TensorType& type);

}  // namespace ingot::text
