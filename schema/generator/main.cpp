// ingot-schema: derives everything that follows from schema/ingot.fbs.
//
// Exit codes: 0 done; 1 --check found something; 2 wrong usage; 4 bad schema or a file that cannot be read or written.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "gen/build_facts.h"
#include "schema/generator/emit.h"
#include "schema/generator/release.h"

namespace {

namespace fs = std::filesystem;
using ingot::schema::Emitted;

struct Options {
  fs::path root = ".";
  fs::path schema;  // default: schema/ingot.fbs below root
  fs::path out;     // where the C++ goes; none: only what is kept in the tree
  std::string flatc = "flatc";
  bool skip_flatc = false;
  bool release = false;
  bool dry_run = false;
  bool check = false;
};

[[noreturn]] void fail(const std::string& what, int error) {
  throw std::runtime_error(fmt::format("cannot {}: {}", what, std::strerror(error)));
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in && in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  if (!in || text.bad()) fail("read " + path.string(), errno);
  return text.str();
}

bool same(const fs::path& path, const std::string& text) { return fs::is_regular_file(path) && read(path) == text; }

// Leaves an unchanged file alone, so that nothing is rebuilt for it.
void write(const fs::path& path, const std::string& text) {
  if (same(path, text)) return;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) fail("write " + path.string(), error ? error.value() : errno);
}

// Without a shell: a path is one argument, whatever it holds.
void run_flatc(const Options& options) {
  std::string arguments[] = {options.flatc, "--cpp", "-o", options.out.string(), options.schema.string()};
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, pointers[0], nullptr, nullptr, pointers.data(), environ);
  if (error != 0) fail("run " + options.flatc, error);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error(fmt::format("{} failed on {}", options.flatc, options.schema.string()));
}

// The name that flatc gives its header.
fs::path flatc_header(const Options& options) {
  return options.out / (options.schema.stem().string() + "_generated.h");
}

bool runs_flatc(const Options& options) { return !options.out.empty() && !options.skip_flatc; }

fs::path target(const Emitted& file, const Options& options) {
  return (file.kept ? options.root : options.out) / file.path;
}

bool wanted(const Emitted& file, const Options& options) { return file.kept || !options.out.empty(); }

fs::path released_path(const Options& options) { return options.root / "schema" / "released.fbs"; }

// Says what `schema` breaks of a released one.
int report_evolution(const std::string& released, const std::string& schema) {
  const std::vector<std::string> errors = ingot::schema::evolution_errors(released, schema);
  for (const std::string& error : errors) std::cerr << "not a successor of schema/released.fbs: " << error << "\n";
  return static_cast<int>(errors.size());
}

int check(const std::vector<Emitted>& files, const Options& options, const std::string& schema) {
  int errors = 0;
  for (const Emitted& file : files) {
    if (!file.kept || same(options.root / file.path, file.text)) continue;
    std::cerr << file.path << " is stale: run ingot-schema --root " << options.root.string() << "\n";
    ++errors;
  }
  const std::string released = read(released_path(options));
  if (const std::string error = ingot::schema::release_error(released, ingot::build::version); !error.empty()) {
    std::cerr << error << "\n";
    ++errors;
  }
  return errors + report_evolution(released, schema) ? 1 : 0;
}

void say(const fs::path& path, const std::string& text) {
  std::cout << (same(path, text) ? "same    " : "changed ") << path.string() << "\n";
}

int release(const Options& options, const std::string& schema) {
  const fs::path path = released_path(options);
  if (fs::exists(path) && report_evolution(read(path), schema) > 0) return 1;
  const std::string text = ingot::schema::released_text(ingot::build::version, schema);
  options.dry_run ? say(path, text) : write(path, text);
  return 0;
}

int generate(const Options& options) {
  const std::string text = read(options.schema);
  const std::vector<Emitted> files = emit_all(ingot::schema::read_schema(text, options.schema.string()));
  if (options.check) return check(files, options, text);
  if (options.release) return release(options, text);
  for (const Emitted& file : files) {
    if (!wanted(file, options)) continue;
    const fs::path path = target(file, options);
    options.dry_run ? say(path, file.text) : write(path, file.text);
  }
  if (!runs_flatc(options)) return 0;
  if (options.dry_run) {
    std::cout << "flatc   " << flatc_header(options).string() << "\n";
  } else {
    run_flatc(options);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Derives C++, Python, C, Zig and documentation from schema/ingot.fbs.", "ingot-schema");
  app.add_option("--root", options.root, "root of the source tree")->capture_default_str();
  app.add_option("--schema", options.schema, "the schema; default: schema/ingot.fbs below the root");
  app.add_option("--out", options.out, "folder for generated C++; without it only files kept in the tree are written");
  app.add_option("--flatc", options.flatc, "the FlatBuffers compiler")->capture_default_str();
  app.add_flag("--skip-flatc", options.skip_flatc, "do not run flatc");
  app.add_flag("--dry-run", options.dry_run,
               "list every file that would be written: changed, the same as before, or left to flatc");
  CLI::Option* check =
      app.add_flag("--check", options.check,
                   "fail when a file in the tree is stale, the schema breaks the released one, or that "
                   "is not of this version");
  app.add_flag("--release", options.release, "write schema/released.fbs for this version, and nothing else")
      ->excludes(check);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (options.schema.empty()) options.schema = options.root / "schema" / "ingot.fbs";
  try {
    return generate(options);
  } catch (const std::exception& error) {
    std::cerr << "ingot-schema: " << error.what() << "\n";
    return 4;
  }
}
