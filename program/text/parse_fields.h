// Attributes of an op: `{axis=1, keepdims=true}`.
#pragma once

#include <string_view>

#include "gen/ops.h"
#include "program/text/lexer.h"
#include "program/text/names.h"

namespace ingot::text {

// An op of that name, every attribute at its default. Throws Code::bad_text with the nearest name where there is none.
Op parse_mnemonic(Lexer& lexer);

// Reads the attributes, if any, into the op. Throws Code::bad_text for one that the op does not have, that is given
// twice, or, without a place, that is mandatory and missing.
void parse_attributes(Lexer& lexer, const Declared& declared, Op& op);

}  // namespace ingot::text
