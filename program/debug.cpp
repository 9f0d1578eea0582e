#include "program/debug.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "program/error.h"

namespace ingot {

static int level_from_environment() {
  const char* value = std::getenv("INGOT_DEBUG");
  const std::string_view text = value ? value : "";
  if (text.empty()) return 0;
  if (text.size() == 1 && text[0] >= '0' && text[0] <= '4') return text[0] - '0';
  throw Error::mismatch(Code::invalid_argument, "", "INGOT_DEBUG", fmt::format("'{}'", text), "0 to 4");
}

int debug_level() {
  static const int level = level_from_environment();
  return level;
}

void write_debug_line(const std::string& text) {
  const std::string line = "ingot: " + text + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace ingot
