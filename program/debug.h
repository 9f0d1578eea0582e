// Debug lines on stderr, as INGOT_DEBUG asks for them: 1 what was compiled, 2 also how it was cut, 3 also every trace,
// 4 also every node.
//
// Threads    from any thread; a line is written whole. The variable is read once, at the first question.
// Failure    Code::invalid_argument where INGOT_DEBUG is no number from 0 to 4.
#pragma once

#include <string>

namespace ingot {

int debug_level();
void write_debug_line(const std::string& text);

// `text` makes the line, and is called only where somebody wants it.
template <class F>
void debug(int level, F text) {
  if (debug_level() >= level) write_debug_line(text());
}

}  // namespace ingot
