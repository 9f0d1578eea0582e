// Symbols from sizes: what binds, in which order, and how a contradiction reads.
#include <algorithm>
#include <chrono>

#include "program/dim.h"
#include "tests/program/dim_support.h"

namespace ingot {
namespace {

using namespace test;

struct Given {
  std::string_view declared;
  int64_t actual;
};

std::vector<DimEquation> equations(std::initializer_list<Given> given) {
  std::vector<DimEquation> all;
  for (const Given& one : given) {
    all.push_back({dim(one.declared), one.actual, fmt::format("input x, axis {}", all.size())});
  }
  return all;
}

// `A=3 B=4`, by name; or the refusal.
std::string solved(std::initializer_list<Given> given) {
  std::vector<std::string> found;
  const std::string error = refusal([&] {
    const Bindings bindings = solve(equations(given));
    for (const auto& [symbol, size] : bindings.entries()) found.push_back(fmt::format("{}={}", symbol.name(), size));
  });
  std::sort(found.begin(), found.end());
  return error == "no error" ? fmt::format("{}", fmt::join(found, " ")) : error;
}

std::string solvable_of(std::initializer_list<std::string_view> declared) {
  std::vector<Dim> dims;
  for (std::string_view text : declared) dims.push_back(dim(text));
  std::vector<std::string> names;
  for (const Symbol& symbol : solvable(dims)) names.push_back(symbol.name());
  std::sort(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, " "));
}

TEST(DimSolve, OneUnknownAtATime) {
  EXPECT_EQ(solved({}), "");
  EXPECT_EQ(solved({{"3", 3}}), "");
  EXPECT_EQ(solved({{"A", 3}, {"B", 0}}), "A=3 B=0");
  EXPECT_EQ(solved({{"2*A + 1", 7}}), "A=3");
  EXPECT_EQ(solved({{"10 - A", 3}}), "A=7");
  EXPECT_EQ(solved({{"A + B", 9}, {"A", 4}}), "A=4 B=5");
  EXPECT_EQ(solved({{"P*A + Q", 17}, {"Q", 2}, {"P", 5}}), "A=3 P=5 Q=2");
  EXPECT_EQ(solved({{"T - B", 1}, {"B - A", 1}, {"A - S", 1}, {"S", 5}}), "A=6 B=7 S=5 T=8");
  EXPECT_EQ(solved({{"A / 2", 4}, {"A", 9}}), "A=9");
  EXPECT_EQ(solved({{"A", 9223372036854775807}}), "A=9223372036854775807");
  EXPECT_EQ(solved({{"A", 3}, {"A", 3}, {"A", 3}}), "A=3");
}

// Not linear in one unknown: left alone, and the verifier refuses a program that would need it.
TEST(DimSolve, LeavesTheRestUnbound) {
  EXPECT_EQ(solved({{"A*B", 6}}), "");
  EXPECT_EQ(solved({{"A / 2", 4}}), "");
  EXPECT_EQ(solved({{"A*A", 4}}), "");
  EXPECT_EQ(solved({{"A + B", 4}}), "");
  EXPECT_EQ(solved({{"A + A / 2", 4}}), "");
}

TEST(DimSolve, RefusesContradictions) {
  EXPECT_EQ(solved({{"3", 4}}), "type mismatch: input x, axis 0 is 4, expected 3");
  EXPECT_EQ(solved({{"A", 3}, {"A", 4}}), "type mismatch: A is 4 by input x, axis 1, expected 3 by input x, axis 0");
  EXPECT_EQ(solved({{"A", 3}, {"A + 1", 5}}),
            "type mismatch: input x, axis 1 is 5, expected 4 = A + 1, where A is 3 by input x, axis 0");
  EXPECT_EQ(solved({{"A + B", 5}, {"A", 3}, {"B", 1}}),
            "type mismatch: input x, axis 0 is 5, expected 4 = A + B, where A is 3 by input x, axis 1 and B is 1 by "
            "input x, axis 2");
  EXPECT_EQ(solved({{"A", 9}, {"A / 2", 5}}),
            "type mismatch: input x, axis 1 is 5, expected 4 = A / 2, where A is 9 by input x, axis 0");
}

TEST(DimSolve, RefusesWhatDoesNotDivide) {
  EXPECT_EQ(solved({{"2*A + 1", 4}}), "type mismatch: input x, axis 0 is 4, expected 2*A + 1 for an integer A");
  EXPECT_EQ(solved({{"P", 3}, {"P*A", 7}}),
            "type mismatch: input x, axis 1 is 7, expected A*P, where P is 3 by input x, axis 0 for an integer A");
}

TEST(DimSolve, RefusesWhatIsOutOfBounds) {
  EXPECT_EQ(solved({{"S", 513}}), "out of range: S is 513 by input x, axis 0, expected 1..512");
  EXPECT_EQ(solved({{"S", 0}}), "out of range: S is 0 by input x, axis 0, expected 1..512");
  EXPECT_EQ(solved({{"P", 0}}), "out of range: P is 0 by input x, axis 0, expected at least 1");
  EXPECT_EQ(solved({{"A + 5", 3}}), "out of range: A is -2 by input x, axis 0, expected at least 0");
  EXPECT_EQ(solved({{"A - 9223372036854775807", 9}}),
            "out of range: A is 9223372036854775816 by input x, axis 0, expected at least 0");
}

TEST(DimSolve, SaysWhereASizeLeaves64Bits) {
  EXPECT_EQ(solved({{"A", int64_t{1} << 40}, {"B", int64_t{1} << 40}, {"A*B", 7}}),
            "limit: a size leaves 64 bits: 1099511627776 * 1099511627776 (at input x, axis 2)");
}

TEST(DimSolve, SolvableSaysWhatSolveWouldBind) {
  EXPECT_EQ(solvable_of({}), "");
  EXPECT_EQ(solvable_of({"3", "A", "A"}), "A");
  EXPECT_EQ(solvable_of({"A + B", "2*A"}), "A B");
  EXPECT_EQ(solvable_of({"P*A + Q", "P", "Q"}), "A P Q");
  EXPECT_EQ(solvable_of({"A*B", "A"}), "A");  // B is free where A is 0
  EXPECT_EQ(solvable_of({"A / 2"}), "");
  EXPECT_EQ(solvable_of({"A*A"}), "");
  EXPECT_EQ(solvable_of({"A + B"}), "");
  EXPECT_EQ(solvable_of({"A + min(A, 3)"}), "");
  EXPECT_EQ(solvable_of({"T - B", "B - A", "A - S", "S"}), "A B S T");
}

// Each equation waits for the next: a search that starts over at every step would take days.
TEST(DimSolve, LongChainsInTheWorstOrderAreCheap) {
  constexpr int count = 1000, copies = 20;
  std::vector<DimEquation> chain;
  for (int copy = 0; copy < copies; ++copy) {
    for (int i = count - 1; i > 0; --i) {
      chain.push_back({Dim(Symbol(fmt::format("s{}", i))) - Symbol(fmt::format("s{}", i - 1)), 1, "somewhere"});
    }
  }
  chain.push_back({Symbol("s0"), 5, "somewhere"});
  std::vector<Dim> declared;
  for (const DimEquation& equation : chain) declared.push_back(equation.declared);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(solve(chain).find(Symbol("s999")), 1004);
  EXPECT_EQ(solvable(declared).size(), 1000U);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_LT(elapsed.count(), 20);
}

// ------------------------------------------------------------------------------------------ bindings and evaluation

TEST(DimBindings, BindOnceWithinBounds) {
  Bindings bindings;
  bindings.bind(Symbol("S", 1, 512), 7);
  bindings.bind(Symbol("S", 1, 512), 7);
  EXPECT_EQ(bindings.entries().size(), 1U);
  EXPECT_EQ(bindings.find(Symbol("S")), 7);
  EXPECT_FALSE(bindings.find(Symbol("T")));
  EXPECT_EQ(refusal([&] { bindings.bind(Symbol("S", 1, 512), 8); }), "type mismatch: S is 8, expected 7");
  EXPECT_EQ(refusal([&] { bindings.bind(Symbol("T", 2, 3), 4); }), "out of range: T is 4, expected 2..3");
}

TEST(DimBindings, EvaluateAndSubstitute) {
  Bindings bindings;
  bindings.bind(Symbol("A"), 10);
  bindings.bind(Symbol("B"), 3);
  EXPECT_EQ(evaluate(dim("7"), bindings), 7);
  EXPECT_EQ(evaluate(dim("A*B - 4*A"), bindings), -10);
  EXPECT_EQ(evaluate(dim("(B - A) / 3"), bindings), -3);
  EXPECT_EQ(evaluate(dim("(B - A) % 3"), bindings), 2);
  EXPECT_EQ(evaluate(dim("ceil(A, 3) + min(A, B) + max(A, B)"), bindings), 17);
  EXPECT_EQ(to_string(substitute(dim("A*T + B / 2 + T"), bindings)), "11*T + 1");
  EXPECT_EQ(to_string(substitute(dim("min(T, A)"), bindings)), "min(T, 10)");
  EXPECT_EQ(refusal([&] { evaluate(dim("A + T"), bindings); }), "invalid argument: symbol T has no size");
}

// Only the result has to fit.
TEST(DimBindings, IntermediateValuesAreWide) {
  Bindings bindings;
  bindings.bind(Symbol("A"), int64_t{1} << 40);
  bindings.bind(Symbol("B"), int64_t{1} << 40);
  EXPECT_EQ(evaluate(dim("A*B / 1099511627776"), bindings), int64_t{1} << 40);
  EXPECT_EQ(evaluate(dim("A*B - A*A"), bindings), 0);
  EXPECT_EQ(refusal([&] { evaluate(dim("A*B"), bindings); }),
            "limit: a size leaves 64 bits when its symbols are bound");
  EXPECT_EQ(refusal([&] { evaluate(dim("A*A*A*B*B"), bindings); }),
            "limit: a size leaves 64 bits when its symbols are bound");
}

}  // namespace
}  // namespace ingot
