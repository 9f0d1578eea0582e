// What a call costs: bench, explain, trace, INGOT_DEBUG.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/engines.h"
#include "tests/cli/tool.h"

namespace ingot::test {
namespace {

constexpr const char* kDense = R"(ingot 1
symbol B in 1..64
weight @w : f32[8, 4] = zeros
graph twice(%x: f32[B, 4]) -> (y) {
  %y = add %x, %x
  return %y
}
method dense(%x: f32[B, 8]) -> (y) {
  %h = matmul %x, @w
  %s = softmax %h
  %y = call [%s] {graph=@twice}
  return %y
}
)";

class Costs : public Tool {
 protected:
  Costs() {
    std::string text = kDense;
    const std::string zeros = "= zeros";
    std::string values = "= [";
    for (int i = 0; i < 32; ++i) values += (i ? ", " : "") + std::to_string(i % 8 == 0 ? 1 : 0) + ".0";
    text.replace(text.find(zeros), zeros.size(), values + "]");
    folder.write("dense.txt", text);
  }

  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
  static bool has_mlx() {
    return std::ranges::any_of(engines(), [](const Engine* engine) { return engine->name() == "mlx"; });
  }
};

// -------------------------------------------------------------------------------------------------------------- bench

TEST_F(Costs, BenchSaysHowLongCallsTake) {
  const auto rows = nlohmann::json::parse(
      expect_done("ingot bench scale.txt -e reference --random --size S=2 --iterations 20 --warmup 2 --format json"));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["time"], "host");
  EXPECT_EQ(rows[1]["time"], "total");
  for (const auto& row : rows) {
    EXPECT_EQ(row["calls"], 20);
    EXPECT_EQ(row["engine"], "reference 1");
    EXPECT_EQ(row["device"], "cpu (plain loops on one core)");
    EXPECT_NE(row["build"].get<std::string>().find("ingot "), std::string::npos);
    EXPECT_GT(row["peak_resident_bytes"], 1 << 20);
    EXPECT_GT(row["min_us"], 0.0);
    const char* const ascending[] = {"min_us", "p50_us", "p90_us", "p99_us", "p99.9_us"};
    for (size_t i = 1; i < std::size(ascending); ++i) EXPECT_LE(row[ascending[i - 1]], row[ascending[i]]);
    EXPECT_LE(row["min_us"], row["mean_us"]);
    EXPECT_LE(row["mean_us"], row["p99.9_us"]);
    EXPECT_GE(row["sd_us"], 0.0);
  }
  EXPECT_LE(rows[0]["mean_us"], rows[1]["mean_us"]);
  EXPECT_LE(rows[0]["min_us"], rows[1]["min_us"]);
}

TEST_F(Costs, BenchWritesTables) {
  const std::string line = "ingot bench scale.txt -e reference --random --size S=2 --iterations 3 --warmup 0 --format ";
  const std::vector<std::string> csv = lines_of(expect_done(line + "csv")), md = lines_of(expect_done(line + "md"));
  ASSERT_EQ(csv.size(), 3U);
  EXPECT_EQ(csv[0].find("program,method,engine,device,mode,threads,sessions,calls,time,mean_us,sd_us,min_us,p50_us,"),
            0U);
  EXPECT_EQ(csv[1].find("scale.txt,scale,reference 1,cpu (plain loops on one core),eager,1,1,3,host,"), 0U) << csv[1];
  EXPECT_EQ(csv[2].find("scale.txt,scale,reference 1,cpu (plain loops on one core),eager,1,1,3,total,"), 0U) << csv[2];
  ASSERT_EQ(md.size(), 4U);
  EXPECT_EQ(md[0].find("| program | method | engine "), 0U);
  EXPECT_EQ(std::ranges::count(md[0], '|'), std::ranges::count(md[2], '|')) << md[2];
  EXPECT_NE(md[2].find(" ± "), std::string::npos);
  folder.write("a|b.txt", kScale);
  const std::string odd = expect_done("ingot bench 'a|b.txt' --random --size S=2 --iterations 3");
  EXPECT_NE(odd.find("\n| a\\|b.txt | scale "), std::string::npos) << odd;
}

TEST_F(Costs, BenchSpreadsSessionsOverThreads) {
  const std::string line = "ingot bench scale.txt --random --size S=2 --format json --warmup 0 ";
  const auto calls = [&](const std::string& flags) {
    return nlohmann::json::parse(expect_done(line + flags))[1]["calls"].get<int>();
  };
  EXPECT_EQ(calls("--threads 3 --sessions 7 --iterations 5"), 35);
  EXPECT_EQ(calls("--threads 2 --iterations 5"), 10);
  EXPECT_GE(calls("--threads 2 --duration 0.05"), 2);
  const std::string last = engines().back()->name() == "mlx" ? "mlx" : "reference";
  EXPECT_EQ(calls("--engine " + last + " --threads 4 --sessions 8 --iterations 5"), 40);
}

TEST_F(Costs, BenchRefuses) {
  const std::string line = "ingot bench scale.txt --random --size S=2 ";
  expect_refused(line + "--threads 4 --sessions 2", 2,
                 "error: --sessions is 2, expected at least one for each of 4 threads");
  expect_refused(line + "--threads 0", 2, "--threads");
  expect_refused(line + "--iterations 5 --duration 1", 2, "--iterations excludes --duration");
  for (const std::string seconds : {"0", "-1", "inf", "nan", "x"}) {
    for (const std::string verb : {"bench", "run"}) {
      expect_refused("ingot " + verb + " scale.txt --random --size S=2 --duration " + seconds, 2,
                     "error: --duration: " + seconds + " is no finite number above 0 (ingot " + verb + " --help");
    }
  }
  expect_refused(
      line + "--iterations 0", 2,
      "error: --iterations: 0 is no integer from 1 to 18446744073709551615 (ingot bench --help shows the flags)");
  expect_refused(
      line + "--warmup -1", 2,
      "error: --warmup: -1 is no integer from 0 to 18446744073709551615 (ingot bench --help shows the flags)");
  expect_refused(line + "--format xml", 2, "xml");
  expect_refused("ingot bench scale.txt", 4, "input x is missing");
  folder.write("take.txt", kTake);
  expect_refused("ingot bench take.txt --threads 4 -i 'x=3xf32=1 2 3' -i i=1xi64=3", 5, "f: %y");
}

// ------------------------------------------------------------------------------------------------------------ explain

TEST_F(Costs, ExplainCountsNodes) {
  const auto json = nlohmann::json::parse(expect_done("ingot explain dense.txt --json --size B=2"));
  ASSERT_EQ(json["nodes"].size(), 4U);
  const auto &matmul = json["nodes"][0], &softmax = json["nodes"][1], &call = json["nodes"][2],
             &inner = json["nodes"][3];
  EXPECT_EQ(matmul["graph"], "dense");
  EXPECT_EQ(matmul["value"], "%h");
  EXPECT_EQ(matmul["op"], "matmul");
  EXPECT_EQ(matmul["type"], "f32[2, 4]");
  EXPECT_EQ(matmul["flops"], 2 * 2 * 4 * 8);
  EXPECT_EQ(matmul["read"], 4 * (2 * 8 + 8 * 4));
  EXPECT_EQ(matmul["written"], 4 * 2 * 4);
  EXPECT_EQ(softmax["flops"], 5 * 2 * 4);
  EXPECT_EQ(call["flops"], 2 * 4);
  EXPECT_EQ(inner["graph"], "twice");
  EXPECT_EQ(inner["op"], "add");
  EXPECT_EQ(inner["flops"], 2 * 4);  // which are the call's
  EXPECT_EQ(json["flops"], 128 + 40 + 8);
  EXPECT_EQ(json["unknown_nodes"], 0);
  EXPECT_EQ(json["weight_bytes"], 4 * 8 * 4);
  EXPECT_EQ(json["state_bytes"], 0);
  // x and h while the product is made; beside the call its operand, and in it x and y.
  EXPECT_EQ(json["peak_bytes"], 4 * (2 * 8 + 2 * 4));
  // The inputs say as much as --size.
  EXPECT_EQ(nlohmann::json::parse(expect_done("ingot explain dense.txt --json -i x=2x8xf32=random")), json);
}

TEST_F(Costs, ExplainIsATableAndLeavesOpenWhatIsOpen) {
  const std::vector<std::string> lines = lines_of(expect_done("ingot explain dense.txt -e reference --size B=2"));
  ASSERT_EQ(lines.size(), 12U);
  EXPECT_EQ(lines[0], "dense on reference, cpu, mode eager");
  EXPECT_EQ(lines[1], "  value        op       FLOPs   read  written  type       how");
  EXPECT_EQ(lines[2], "  %h           matmul     128  192 B     32 B  f32[2, 4]");
  EXPECT_EQ(lines[5], "    @twice %y  add          8   64 B     32 B  f32[2, 4]");
  EXPECT_EQ(lines[7], "FLOPs    176");
  EXPECT_EQ(lines[9], "weights  128 B");
  EXPECT_EQ(lines[11], "alive    at most 96 B at one time");
  const std::vector<std::string> open = lines_of(expect_done("ingot explain dense.txt -e reference"));
  EXPECT_EQ(open[2], "  %h           matmul       ?     ?        ?  f32[B, 4]");
  EXPECT_EQ(open[7], "FLOPs    0, and those of 3 nodes");
  // B is 64 at most.
  EXPECT_EQ(open[11], "alive    at most 3.0 KiB at one time");
}

TEST_F(Costs, ExplainSaysHowAnEngineRunsANode) {
  if (!has_mlx()) GTEST_SKIP() << "this build has no engine that says so";
  folder.write(
      "find.txt",
      "ingot 1\nsymbol N in 0..9\nmethod f(%x: f32[9]) -> (y, z) {\n  %h = neg %x\n  %z = nonzero %h {count=N}\n"
      "  %y = leaky_relu %h\n  return %y, %z\n}\n");
  const auto how = [&](const std::string& mode) {
    return nlohmann::json::parse(expect_done("ingot explain find.txt --json --engine mlx --mode " + mode));
  };
  const auto compiled = how("compiled"), lazy = how("lazy");
  EXPECT_EQ(compiled["nodes"][0]["how"], "traced");
  EXPECT_EQ(compiled["nodes"][1]["how"], "reads values");
  EXPECT_EQ(lazy["nodes"][0]["how"], "lowered");
  // MLX has no leaky_relu: its decomposition runs.
  EXPECT_EQ(compiled["replaced"], nlohmann::json({{"leaky_relu", 1}}));
  EXPECT_GT(compiled["nodes"].size(), 3U);
  EXPECT_EQ(nlohmann::json::parse(expect_done("ingot explain find.txt --json -e reference"))["replaced"],
            nlohmann::json::object());
}

TEST_F(Costs, ExplainSaysWhatIsDoneOnTheHostAndWhy) {
  if (!has_mlx()) GTEST_SKIP() << "this build has no engine that says so";
  folder.write("boxes.txt", R"(ingot 1
symbol J in 0..8
symbol K in 0..8
graph some(%b: f32[1, 4, 4], %s: f32[1, 1, 4]) -> (n) {
  %y = nms %b, %s {count=K, max_output=2}
  %n = size_of {size=K}
  return %n
}
graph none(%b: f32[1, 4, 4], %s: f32[1, 1, 4]) -> (n) {
  %n = full {shape=[], value=0, dtype=i64}
  return %n
}
method branch(%b: f32[1, 4, 4], %s: f32[1, 1, 4], %p: bool[]) -> (n) {
  %n = if %p, [%b, %s] {on_true=@some, on_false=@none}
  return %n
}
method plain(%b: f32[1, 4, 4], %s: f32[1, 1, 4]) -> (y) {
  %y = nms %b, %s {count=J, max_output=2}
  return %y
}
)");
  const std::string why = "reads values, on the host: each box depends on those before it";
  const std::string line = "ingot explain boxes.txt --engine mlx ";
  EXPECT_EQ(nlohmann::json::parse(expect_done(line + "--json -m plain"))["nodes"][0]["how"], why);
  const auto nodes = nlohmann::json::parse(expect_done(line + "--json -m branch"))["nodes"];
  EXPECT_EQ(nodes[0]["op"], "if");
  EXPECT_EQ(nodes[1]["graph"], "some");
  EXPECT_EQ(nodes[1]["op"], "nms");
  EXPECT_EQ(nodes[1]["how"], why);
  EXPECT_EQ(nodes.back()["graph"], "none");
  expect_words(expect_done(line + "-m branch"), {"    @some %y  nms ", why.c_str(), "    @none %n  full "});
}

TEST_F(Costs, ExplainSaysWhetherFewerRowsAreComputedApart) {
  folder.write("rows.txt", R"(ingot 1
method each(%x: f32[4, 3]) -> (y) {
  %y = exp %x
  return %y
}
method all(%x: f32[4, 3]) -> (y) {
  %y = cumsum %x {axis=0}
  return %y
}
)");
  const auto extent = [this](const std::string& arguments) -> nlohmann::json {
    return nlohmann::json::parse(expect_done("ingot explain rows.txt --json " + arguments))["active_extent"];
  };
  EXPECT_EQ(extent("-m each --active-extent 4"), "fewer than 4 rows are computed apart");
  EXPECT_NE(extent("-m all --active-extent 4").get<std::string>().find("all 4 rows are computed: "), std::string::npos);
  EXPECT_TRUE(extent("-m all").is_null());
  expect_refused("ingot explain rows.txt -m all --active-extent 5", 4, "no input has 5 rows");
}

TEST_F(Costs, ExplainRefuses) {
  expect_refused("ingot explain", 2, "file is required");
  expect_refused("ingot explain dense.txt -m sparse", 4, "there is no method 'sparse', expected one of dense");
  expect_refused("ingot explain dense.txt --size B=65", 4, "B");
  expect_refused("ingot explain dense.txt -i x=2x7xf32=random", 4, "input x");
  expect_refused("ingot explain dense.txt --size B=3 -i x=2x8xf32=random", 4, "--size");
  expect_refused("ingot explain missing.txt", 4, "missing.txt");
}

// -------------------------------------------------------------------------------------------------------------- trace

TEST_F(Costs, TraceHasASpanForEveryNode) {
  std::vector<std::string> targets = {"reference"};
  if (has_mlx()) targets.push_back("mlx");
  for (const std::string& engine : targets) {
    EXPECT_EQ(expect_done("ingot trace dense.txt --random --size B=2 -o trace.json --engine " + engine), "");
    const auto trace = nlohmann::json::parse(read_text(folder.path() / "trace.json"));
    const auto& events = trace["traceEvents"];
    EXPECT_EQ(trace["otherData"]["engine"], engine);
    ASSERT_GE(events.size(), 4U) << engine;
    const auto find = [&](const std::string& name) {
      return *std::ranges::find_if(events, [&](const auto& event) { return event["name"] == name; });
    };
    const auto matmul = find("matmul"), call = find("call"), add = find("add");
    EXPECT_EQ(matmul["ph"], "X");
    EXPECT_EQ(matmul["args"]["node"], "dense: %h");
    EXPECT_EQ(matmul["args"]["shape"], "[2, 4]");
    EXPECT_EQ(matmul["args"]["dtype"], "f32");
    EXPECT_EQ(matmul["args"]["flops"], 128.0);
    EXPECT_EQ(matmul["args"]["bytes"], 224);
    // What the call runs lies within it.
    const double begin = call["ts"], end = begin + call["dur"].get<double>(), inner = add["ts"];
    EXPECT_LE(begin, inner);
    EXPECT_LE(inner + add["dur"].get<double>(), end);
    EXPECT_LE(matmul["ts"].get<double>() + matmul["dur"].get<double>(), begin);
  }
}

// A name may hold any bytes, and JSON none that are no UTF-8.
TEST_F(Costs, JsonReplacesWhatIsNoUtf8) {
  folder.write("bytes.txt",
               "ingot 1\nmethod \"f\\xff\"(%\"x\\xfe\": f32[2]) -> (\"y\\xfd\") {\n  %\"a\\xfc\" = neg %\"x\\xfe\"\n"
               "  return %\"a\\xfc\"\n}\n");
  const std::string replaced = "\xef\xbf\xbd";
  const auto json = [this](const std::string& line) { return nlohmann::json::parse(expect_done(line)); };
  EXPECT_EQ(json("ingot inspect bytes.txt --json")["graphs"][0]["name"], "f" + replaced);
  EXPECT_EQ(json("ingot explain bytes.txt --json")["nodes"][0]["value"], "%a" + replaced);
  EXPECT_EQ(json("ingot bench bytes.txt --random --iterations 1 --format json")[0]["method"], "f" + replaced);
  EXPECT_EQ(json("ingot trace bytes.txt --random -o -")["traceEvents"][0]["cat"], "f" + replaced);
}

TEST_F(Costs, TraceRefuses) {
  const std::string traced = "ingot trace dense.txt --random --size B=2 -o t.json ";
  expect_refused("INGOT_MODE=lazy " + traced, 2,
                 has_mlx() ? "error: INGOT_MODE is lazy, expected eager, in which every op has a time of its own"
                           : "error: INGOT_MODE: there is no mode of reference 'lazy', expected eager");
  expect_refused("INGOT_MODE=eager " + traced + "--mode lazy", 2, "error: --mode is lazy, expected eager");
  EXPECT_EQ(run("INGOT_MODE=lazy " + traced + "--mode eager").exit_code, 0);
  expect_refused("ingot trace dense.txt --random --size B=2", 2, "--output is required");
  expect_refused("ingot trace dense.txt --random --size B=2 -o t.json --mode lazy", 2,
                 "error: --mode is lazy, expected eager");
  expect_refused("ingot trace dense.txt --random --size B=2 -o no/such/t.json", 4, "no/such");
  expect_refused("ingot trace dense.txt -o t.json", 4, "input x is missing");
}

// -------------------------------------------------------------------------------------------------------------- debug

TEST_F(Costs, DebugLevelsAddLines) {
  folder.write("ones.txt", "ingot 1\nmethod f() -> (y) {\n  %y = full {shape=[2], value=1}\n  return %y\n}\n");
  const CommandResult one = run("INGOT_DEBUG=1 ingot run ones.txt -q -e reference");
  EXPECT_EQ(one.exit_code, 0);
  EXPECT_EQ(one.err, "ingot: compiled for reference on cpu, mode eager: 1 method, 1 node, 0 B of weights\n");
  const CommandResult four = run("INGOT_DEBUG=4 ingot run ones.txt -q -e reference");
  EXPECT_EQ(four.err, one.err + "ingot: runs f: %y (full)\n");
  EXPECT_EQ(run("INGOT_DEBUG=0 ingot run ones.txt -q").err, "");
  expect_refused("INGOT_DEBUG=5 ingot run ones.txt -q", 2, "error: INGOT_DEBUG is '5', expected 0 to 4");
  expect_refused("INGOT_DEBUG=all ingot run ones.txt -q", 2, "error: INGOT_DEBUG is 'all', expected 0 to 4");
}

TEST_F(Costs, DebugShowsTracesOnce) {
  if (!has_mlx()) GTEST_SKIP() << "this build has no engine that traces";
  folder.write("neg.txt", "ingot 1\nsymbol S\nmethod f(%x: f32[S]) -> (y) {\n  %y = neg %x\n  return %y\n}\n");
  const std::string line = "ingot run neg.txt -q -i 'x=2xf32=1 2' --repeat 3 --engine mlx --device cpu --mode compiled";
  const std::string two = run("INGOT_DEBUG=2 " + line).err, three = run("INGOT_DEBUG=3 " + line).err;
  EXPECT_EQ(two,
            "ingot: segments: f 0-0 traced\n"
            "ingot: compiled for mlx on cpu, mode compiled: 1 method, 1 node, 0 B of weights\n");
  EXPECT_EQ(three, two + "ingot: traces f 0-0, S = 2\n");
  folder.write("leaky.txt", "ingot 1\nmethod f(%x: f32[2]) -> (y) {\n  %y = leaky_relu %x\n  return %y\n}\n");
  const std::string expanded = run("INGOT_DEBUG=2 ingot run leaky.txt -q -i 'x=2xf32=1 2' --engine mlx").err;
  EXPECT_EQ(expanded.find("ingot: expands leaky_relu (1)\ningot: segments: f 0-"), 0U) << expanded;
}

}  // namespace
}  // namespace ingot::test
