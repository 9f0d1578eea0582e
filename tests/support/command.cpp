#include "tests/support/command.h"

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "gen/test_paths.h"

namespace ingot::test {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder() {
  std::string name = (fs::temp_directory_path() / "ingot-test-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("cannot make " + name);
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path ScratchFolder::write(const std::string& name, const std::string& contents) const {
  std::ofstream(path_ / name, std::ios::binary) << contents;
  return path_ / name;
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

CommandResult run_command(const std::string& line, const fs::path& folder) {
  const ScratchFolder streams;
  const fs::path script = streams.write("script", "PATH=" + (fs::path(build_dir) / "bin").string() + ":$PATH\ncd '" +
                                                      folder.string() + "'\n" + line + "\n");
  const std::string command = "sh '" + script.string() + "' >'" + (streams.path() / "out").string() + "' 2>'" +
                              (streams.path() / "err").string() + "' </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_text(streams.path() / "out"),
          read_text(streams.path() / "err")};
}

}  // namespace ingot::test
