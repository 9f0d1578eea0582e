// Generates tokens with a decoder, greedily, and forks its session on the way.
//
//   decoder PROGRAM ENGINE[:MODE] PROMPT BEFORE AFTER OTHER
//
// After PROMPT (7,42,3) come BEFORE tokens; then a fork of the session and the session itself go on in turn by AFTER tokens
// each, and must agree; a second fork is told that the last token was OTHER. tests/models/decoder.py knows what all of
// them must say. Prints `start: tokens`, `original: tokens`, `original logits: numbers of the last step`, `fork…`, `other…`.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <sstream>

#include "program/error.h"
#include "program/open.h"
#include "runtime/session.h"
#include "tests/support/target.h"

using namespace ingot;

namespace {

using Tokens = std::vector<int64_t>;

// One who writes: a session, and what it has said since it began.
struct Writer {
  Session session;
  int64_t last;  // not yet in the session's caches
  Tokens said;
  Tensor logits;

  void step(const Tokens& tokens, std::string_view method) {
    const Tensor given = Tensor::of<int64_t>({1, static_cast<int64_t>(tokens.size())}, tokens);
    const std::vector<NamedTensor> outputs = session.run({{"tokens", given}}, method);
    last = outputs.at(0).tensor.as<int64_t>()[0];
    said.push_back(last);
    logits = outputs.at(1).tensor;
  }
  void decode() { step({last}, "decode"); }
  Writer fork(int64_t token) const { return {session.fork(), token, {}, {}}; }

  void print(std::string_view name) const {
    std::cout << fmt::format("{}: {}\n{} logits: {:.9g}\n", name, fmt::join(said, " "), name,
                             fmt::join(logits.as<float>(), " "));
  }
};

Tokens tokens_of(const std::string& text) {
  Tokens tokens;
  std::istringstream stream(text);
  for (std::string token; std::getline(stream, token, ',');) tokens.push_back(std::stoll(token));
  return tokens;
}

void run(const std::vector<std::string>& given) {
  const CompileOptions options = test::Target::parse(given[1]).options({});
  Writer writer{Session(compile(open_program(given[0]), options)), 0, {}, {}};
  writer.step(tokens_of(given[2]), "prefill");
  for (int i = 1; i < std::stoi(given[3]); ++i) writer.decode();
  std::cout << fmt::format("start: {}\n", fmt::join(writer.said, " "));
  writer.said.clear();
  Writer fork = writer.fork(writer.last), other = writer.fork(std::stoll(given[5]));
  for (int i = 0; i < std::stoi(given[4]); ++i) {
    for (Writer* each : {&other, &writer, &fork}) each->decode();
  }
  writer.print("original");
  fork.print("fork");
  other.print("other");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    std::cerr << "usage: decoder PROGRAM ENGINE[:MODE] PROMPT BEFORE AFTER OTHER\n";
    return 2;
  }
  try {
    run({argv + 1, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
