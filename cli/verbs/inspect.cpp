#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/flags.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "engines/reference/evaluate.h"
#include "passes/expand.h"
#include "passes/hoist.h"
#include "passes/pipeline.h"
#include "program/io/mapped_file.h"
#include "program/open.h"
#include "program/report.h"
#include "program/text.h"

namespace ingot::cli {
namespace {

struct Options {
  std::string file, output, after;
  bool json = false, dot = false, summary = false, expand = false, no_types = false, passes = false;
  int64_t inline_bytes = TextOptions{}.inline_bytes;
};

std::string file_line(const std::string& path) {
  const MappedFile file = map_file(path);
  if (!is_program_file(file.buffer.bytes)) return fmt::format("{:<12}{}, text form\n", "file", path);
  const FileFacts facts = file_facts(file.buffer.bytes);
  return fmt::format("{:<12}{}, format {} (reader {} or newer), {} of metadata, {} of weights\n", "file", path,
                     facts.format_version, facts.minimum_reader, human_bytes(facts.metadata_bytes),
                     human_bytes(facts.segment_bytes));
}

std::string render(const Program& program, const Options& options) {
  if (options.summary) return file_line(options.file) + to_text(summarize(program));
  if (options.json) return to_json(program);
  if (options.dot) return to_dot(program);
  return print(program, {.inline_bytes = options.inline_bytes, .types = !options.no_types, .weights_from = {}});
}

// What engines but the reference do behind all passes.
constexpr const char* kHoist = "hoist";

std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (const Pass& pass : passes()) names.emplace_back(pass.name);
  names.emplace_back(kHoist);
  return names;
}

Program after(const Program& program, const std::string& pass) {
  const PassOptions options{.evaluate = reference::evaluate};
  if (pass != kHoist) return optimize_until(program, pass, options);
  return hoist_parameter_only(optimize(program, options)).program;
}

// Of a program that the passes have been through.
size_t hoisted_nodes(const Program& program) {
  const Hoisted hoisted = hoist_parameter_only(program);
  size_t count = 0;
  for (const HoistedMethod& method : hoisted.methods) {
    count += std::ranges::find(hoisted.program.graphs, method.prepare, &Graph::name)->nodes.size();
  }
  return count;
}

// Every pass with its rules, and how often each rule applies to the program.
std::string pass_table(const Program& program) {
  std::map<std::string_view, size_t> applied;
  PassOptions options{.evaluate = reference::evaluate};
  options.on_applied = [&](const Rule& rule, const Graph&, const Node&) { ++applied[rule.name]; };
  const Program optimized = optimize(program, options);
  std::string text;
  for (const Pass& pass : passes()) {
    text += fmt::format("{:<38}{}\n", pass.name, pass.meaning);
    if (!pass.rules) continue;
    for (const Rule& rule : pass.rules()) {
      text += fmt::format("  {:<28}{:>6}  {}\n", rule.name, applied[rule.name], rule.meaning);
    }
  }
  text += fmt::format("{:<38}what a method computes from weights alone runs once, behind all passes\n", kHoist);
  return text + fmt::format("  {:<28}{:>6}  nodes that methods find computed\n", "prepared", hoisted_nodes(optimized));
}

}  // namespace

Verb add_inspect(CLI::App& root) {
  auto o = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("inspect", "Show a program: as text, JSON, a graph, or in numbers.");
  app->add_option("file", o->file, ".ingot file or text form")->required();
  auto* json = app->add_flag("--json", o->json, "everything but weight contents, as JSON");
  auto* dot = app->add_flag("--dot", o->dot, "Graphviz")->excludes(json);
  app->add_flag("--summary", o->summary, "methods, op counts, parameters, bytes, state")->excludes(json)->excludes(dot);
  app->add_flag("--expand", o->expand, "replace composite ops by their decompositions first");
  app->add_option("--after", o->after,
                  "run the passes up to this one first; hoist: all of them, as compiling does, and hoisting")
      ->check(CLI::IsMember(pass_names()));
  app->add_flag("--passes", o->passes, "the passes and their rules, and how often each rule applies")
      ->excludes(json)
      ->excludes(dot);
  app->add_flag("--no-types", o->no_types, "text: leave inferred types out");
  app->add_option("--inline-bytes", o->inline_bytes, "text: show weights up to this size")
      ->check(integer_within(0, kLargest))
      ->capture_default_str();
  app->add_option("-o,--output", o->output, "write here instead of to standard output")->check(check_path);
  return {app, [o] {
            Program program = open_program(o->file);
            if (o->expand) program = expand_composites(program);
            if (!o->after.empty()) program = after(program, o->after);
            write_text(o->output, o->passes ? pass_table(program) : render(program, *o));
            return kDone;
          }};
}

}  // namespace ingot::cli
