// ingot-schema: derives everything that follows from schema/ingot.fbs.
//
// Exit codes: 0 done; 1 --check found something; 2 wrong usage; 4 bad schema or a file that cannot be read or written.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "schema/generator/emit.h"

namespace {

namespace fs = std::filesystem;
using ingot::schema::Emitted;

struct Options {
  fs::path root = ".";
  fs::path schema;  // default: schema/ingot.fbs below root
  fs::path out;     // where the C++ goes; none: only what is kept in the tree
  std::string flatc = "flatc";
  bool skip_flatc = false;
  bool dry_run = false;
  bool check = false;
};

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool same(const fs::path& path, const std::string& text) { return fs::exists(path) && read(path) == text; }

// Leaves an unchanged file alone, so that nothing is rebuilt for it.
void write(const fs::path& path, const std::string& text) {
  if (same(path, text)) return;
  fs::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

void run_flatc(const Options& options) {
  const std::string command =
      quoted(options.flatc) + " --cpp -o " + quoted(options.out.string()) + " " + quoted(options.schema.string());
  if (std::system(command.c_str()) != 0) throw std::runtime_error("flatc failed: " + command);
}

fs::path target(const Emitted& file, const Options& options) {
  return (file.kept ? options.root : options.out) / file.path;
}

bool wanted(const Emitted& file, const Options& options) { return file.kept || !options.out.empty(); }

int check(const std::vector<Emitted>& files, const Options& options, const std::string& schema) {
  int errors = 0;
  for (const Emitted& file : files) {
    if (!file.kept || same(options.root / file.path, file.text)) continue;
    std::cerr << file.path << " is stale: run ingot-schema --root " << options.root.string() << "\n";
    ++errors;
  }
  const fs::path released = options.root / "schema" / "released.fbs";
  for (const std::string& error : ingot::schema::evolution_errors(read(released), schema)) {
    std::cerr << "not a successor of schema/released.fbs: " << error << "\n";
    ++errors;
  }
  return errors ? 1 : 0;
}

int generate(const Options& options) {
  const std::string text = read(options.schema);
  const std::vector<Emitted> files = emit_all(ingot::schema::read_schema(text, options.schema.string()));
  if (options.check) return check(files, options, text);
  for (const Emitted& file : files) {
    if (!wanted(file, options)) continue;
    const fs::path path = target(file, options);
    if (options.dry_run) {
      std::cout << (same(path, file.text) ? "same    " : "changed ") << path.string() << "\n";
    } else {
      write(path, file.text);
    }
  }
  if (!options.out.empty() && !options.skip_flatc && !options.dry_run) run_flatc(options);
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
  app.add_flag("--dry-run", options.dry_run, "say what would change, write nothing");
  app.add_flag("--check", options.check, "fail when a file in the tree is stale or the schema breaks the released one");
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
