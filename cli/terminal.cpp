#include "cli/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "program/error.h"
#include "program/io/atomic_write.h"

namespace ingot::cli {

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) != 0; }
bool stderr_is_terminal() { return isatty(STDERR_FILENO) != 0; }

std::string paint(Colour colour, std::string_view text, bool on) {
  static constexpr std::string_view codes[] = {"31", "32", "2"};
  if (!on || std::getenv("NO_COLOR")) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", codes[static_cast<size_t>(colour)], text);
}

Progress::Progress(std::string_view doing) : shown_(stderr_is_terminal()) {
  if (shown_) fmt::print(stderr, "{} …", doing);
}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
}

void write_text(const std::string& path, std::string_view text) {
  if (!path.empty() && path != "-") {
    AtomicFile file(path);
    file.append(text);
    file.commit();
    return;
  }
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Error(Code::io, "cannot write to standard output");
  }
}

}  // namespace ingot::cli
