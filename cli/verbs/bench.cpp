#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "cli/call.h"
#include "cli/json.h"
#include "cli/load.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "gen/build_facts.h"
#include "runtime/engines.h"

namespace ingot::cli {
namespace {

struct Options {
  CallOptions call;
  LoadOptions load{.iterations = 100, .warmup = 10};
  std::string format = "md";
};

// The largest resident size of this process so far, in bytes.
int64_t peak_resident() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
  return usage.ru_maxrss;
#else
  return int64_t{usage.ru_maxrss} * 1024;
#endif
}

// In the unit of the samples.
struct Statistics {
  double mean = 0, deviation = 0, min = 0, p50 = 0, p90 = 0, p99 = 0, p999 = 0;
};

// Precondition: one sample at least.
Statistics statistics_of(std::vector<double> samples) {
  std::ranges::sort(samples);
  const double count = static_cast<double>(samples.size());
  // The smallest sample that so many are not above.
  const auto percentile = [&](double share) {
    return samples[static_cast<size_t>(std::max(std::ceil(share * count) - 1, 0.0))];
  };
  Statistics s{.min = samples.front(),
               .p50 = percentile(0.5),
               .p90 = percentile(0.9),
               .p99 = percentile(0.99),
               .p999 = percentile(0.999)};
  for (const double each : samples) s.mean += each / count;
  double squares = 0;
  for (const double each : samples) squares += (each - s.mean) * (each - s.mean);
  if (samples.size() > 1) s.deviation = std::sqrt(squares / (count - 1));
  return s;
}

// A column and its value, a number or a text.
using Row = nlohmann::ordered_json;

std::string build_text() {
  return fmt::format("ingot {} {} {}{}", build::version, build::compiler, build::build_type,
                     *build::sanitizers ? fmt::format(" {}", build::sanitizers) : "");
}

Row row_of(std::string_view time, double CallTime::* which, const Load& load, const Options& options,
           const Executable& executable) {
  std::vector<double> micros;
  for (const CallTime& call : load.calls) micros.push_back(call.*which * 1e6);
  const Statistics s = statistics_of(std::move(micros));
  const Engine& engine = find_engine(executable.engine());
  const DeviceFacts device = find_device(engine, executable.device());
  const uint64_t sessions = std::max(options.load.sessions, options.load.threads);
  return {{"program", options.call.file},
          {"method", executable.method(options.call.method).name},
          {"engine", fmt::format("{} {}", engine.name(), engine.version())},
          {"device", fmt::format("{} ({})", device.name, device.description)},
          {"mode", executable.mode()},
          {"threads", options.load.threads},
          {"sessions", sessions},
          {"calls", load.calls.size()},
          {"time", time},
          {"mean_us", s.mean},
          {"sd_us", s.deviation},
          {"min_us", s.min},
          {"p50_us", s.p50},
          {"p90_us", s.p90},
          {"p99_us", s.p99},
          {"p99.9_us", s.p999},
          {"calls_per_s", static_cast<double>(load.calls.size()) / load.seconds},
          {"peak_resident_bytes", peak_resident()},
          {"peak_device_bytes", executable.counters().peak_bytes},
          {"build", build_text()}};
}

std::string cell(const Row& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? fmt::format("{:.1f}", value.get<double>()) : value.dump();
}

// On one line, and in one column.
std::string markdown_cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? "\\|" : std::string(1, c == '\n' ? ' ' : c);
  return escaped;
}

std::string as_markdown(const std::vector<Row>& rows) {
  std::string head, line, body;
  for (const auto& [column, value] : rows.front().items()) {
    if (column == "sd_us") continue;
    head += fmt::format("| {} ", column);
    line += "|---";
  }
  for (const Row& row : rows) {
    for (const auto& [column, value] : row.items()) {
      if (column == "sd_us") continue;
      body += fmt::format("| {}{} ", markdown_cell(cell(value)), column == "mean_us" ? " ± " + cell(row["sd_us"]) : "");
    }
    body += "|\n";
  }
  return head + "|\n" + line + "|\n" + body;
}

// Quoted where a comma or a quote is inside.
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string as_csv(const std::vector<Row>& rows) {
  std::vector<std::string> head;
  for (const auto& [column, value] : rows.front().items()) head.push_back(column);
  std::string text = fmt::format("{}\n", fmt::join(head, ","));
  for (const Row& row : rows) {
    std::vector<std::string> cells;
    for (const auto& [column, value] : row.items()) cells.push_back(csv_cell(cell(value)));
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

int bench(const Options& options) {
  const Executable executable = compile_for(open_for_call(options.call), compile_options(options.call));
  const std::vector<NamedTensor> inputs = read_inputs(options.call, context_of(options.call, executable));
  Load load;
  {
    const Progress progress("timing " + options.call.file);
    load = run_load(executable, inputs, options.call.method, options.load);
  }
  const std::vector<Row> rows = {row_of("host", &CallTime::host, load, options, executable),
                                 row_of("total", &CallTime::total, load, options, executable)};
  if (options.format == "json") {
    write_text("", json_text(rows));
  } else {
    write_text("", options.format == "csv" ? as_csv(rows) : as_markdown(rows));
  }
  return kDone;
}

}  // namespace

Verb add_bench(CLI::App& root) {
  auto o = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("bench", "Call a method again and again and say how long it takes.");
  add_call_options(*app, o->call);
  add_load_options(*app, o->load);
  app->add_option("--format", o->format, "md, csv or json")
      ->check(CLI::IsMember({"md", "csv", "json"}))
      ->capture_default_str();
  app->footer(
      "Times in µs: `host` until a call was handed to its device, `total` until its outputs were on the host.\n"
      "Memory is the most that the process had until then, resident and on the device (0: the engine does not say).");
  return {app, [o] { return bench(*o); }};
}

}  // namespace ingot::cli
