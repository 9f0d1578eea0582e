// What the tool shows only on a terminal: colours and progress. In a pipe both are silent.
#pragma once

#include <string>
#include <string_view>

namespace ingot::cli {

enum class Colour { red, green, dim };

bool stdout_is_terminal();
bool stderr_is_terminal();

// The text in that colour where `on`, and NO_COLOR is not set; else the text.
std::string paint(Colour colour, std::string_view text, bool on);

// A line on stderr while something takes its time, erased at the end.
class Progress {
 public:
  explicit Progress(std::string_view doing);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  bool shown_;
};

// Writes to a file, or to stdout for an empty path or `-`. Throws ingot::Error.
void write_text(const std::string& path, std::string_view text);

}  // namespace ingot::cli
