// What the tests of the text form share.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "program/error.h"
#include "program/text.h"

namespace ingot::test {

// A text that is refused: the whole message, which begins with the place in file t, and its code.
struct Refused {
  std::string_view text;
  std::string_view message;
  Code code = Code::bad_text;
};

inline void expect_refused(std::string_view text, const Refused& row, ParseOptions options = {}) {
  options.file = "t";
  try {
    const Program program = parse(text, options);
    ADD_FAILURE() << "expected " << row.message << ", got\n" << print(program);
  } catch (const Error& error) {
    EXPECT_EQ(std::string_view(error.what()), row.message);
    EXPECT_EQ(to_string(error.code()), to_string(row.code)) << error.what();
  }
}

// Parses the text, and expects it to be printed as `printed`, from which it comes back.
inline Program expect_printed(std::string_view text, std::string_view printed, const TextOptions& options = {}) {
  Program program;
  try {
    program = parse(text);
    EXPECT_EQ(print(program, options), printed);
    EXPECT_EQ(print(parse(printed), options), printed);
  } catch (const Error& error) {
    ADD_FAILURE() << error.what() << "\n" << text;
  }
  return program;
}

}  // namespace ingot::test
