// Running a program as a user does: a shell line, its exit code and what it wrote.
#pragma once

#include <filesystem>
#include <string>

namespace ingot::test {

struct CommandResult {
  int exit_code = -1;  // 128 + signal for a program that was killed
  std::string out, err;
};

// Runs `line` in `folder` by sh, with the built tools first on the PATH; neither stream is a terminal.
CommandResult run_command(const std::string& line, const std::filesystem::path& folder);

// A new empty folder that goes with the object.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Writes a file and returns its path.
  std::filesystem::path write(const std::string& name, const std::string& contents) const;

 private:
  std::filesystem::path path_;
};

std::string read_text(const std::filesystem::path& path);

}  // namespace ingot::test
