// Statements that are refused: the message says where and what.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/text/text_support.h"

namespace ingot {
namespace {

using namespace std::string_view_literals;
using test::expect_refused;
using test::Refused;

// Each row is the statement in line 3 of
//   ingot 1
//   method f(%x: f32[2, 3]) -> (y) {
//     …
//     return %y
//   }
template <size_t N>
void expect_statements_refused(const Refused (&rows)[N]) {
  for (const Refused& row : rows) {
    SCOPED_TRACE(row.text);
    const std::string statement(row.text);
    expect_refused("ingot 1\nmethod f(%x: f32[2, 3]) -> (y) {\n  " + statement + "\n  return %y\n}\n", row);
  }
}

TEST(RefusedStatements, Names) {
  expect_statements_refused({
      {"%y = sofmax %x", "t:3:8: unknown op 'sofmax', did you mean 'softmax'?"},
      {"%y = frobnicate %x", "t:3:8: unknown op 'frobnicate'"},
      {"%x = abs %x", "t:3:3: value %x is defined already"},
      {"%y = abs %z", "t:3:12: value %z is not defined above"},
      {"%y = abs %xx", "t:3:12: value %xx is not defined above, did you mean 'x'?"},
      {"%y = abs @w", "t:3:12: weight @w is not defined above"},
      {"%y = state_read {state=@s}", "t:3:26: state @s is not defined above"},
      {"%y = call [%x] {graph=@f}", "t:3:25: graph @f is not defined above"},
      {"%y = call [%x] {graph=@g}", "t:3:25: graph @g is not defined above"},
      {"%1 = abs %2", "t:3:12: value %2 is not defined above"},
      {"%y = layer_norm %x, _, %b", "t:3:26: value %b is not defined above"},
      {"%y = abs %x : f32[S, 3]", "t:3:21: symbol S is not defined above"},
      {"%y = reshape %x {shape=[S]}", "t:3:27: symbol S is not defined above"},
      {"%y = abs %\"\"", "t:3:13: a value is empty"},
      {"%y = abs %", "t:3:12: '%' is not followed by a name"},
  });
}

TEST(RefusedStatements, Attributes) {
  expect_statements_refused({
      {"%y = softmax %x {axes=1}", "t:3:20: softmax has no attribute 'axes', did you mean 'axis'?"},
      {"%y = softmax %x {ax=1}", "t:3:20: softmax has no attribute 'ax'; it has axis, log"},
      {"%y = abs %x {axis=1}", "t:3:16: abs has no attribute 'axis'; it has none"},
      {"%y = cast %x", "t:3:8: cast needs the attribute 'dtype'"},
      {"%y = softmax %x {axis=1, axis=1}", "t:3:28: attribute 'axis' is given twice"},
      {"%y = cast %x {dtype=f33}", "t:3:23: unknown value 'f33', did you mean 'f32'?"},
      {"%y = pad %x {before=[0, 0], after=[0, 0], mode=refect}",
       "t:3:50: unknown value 'refect', expected one of constant, reflect, edge, wrap"},
      {"%y = softmax %x {log=yes}", "t:3:24: expected true or false for an attribute, got 'yes'"},
      {"%y = softmax %x {axis=one}", "t:3:25: expected an integer, got 'one'"},
      {"%y = softmax %x {axis=1.5}", "t:3:25: expected an integer, got 1.5, which is no i64"},
      {"%y = softmax %x {axis}", "t:3:24: expected '=' after 'axis', got '}'"},
      {"%y = softmax %x {axis=1", "t:4:3: expected ',' or '}' in the attributes, got 'return'"},
      {"%y = softmax %x {axis=2}", "t:3:8: [softmax] axis is 2, expected -2..1", Code::out_of_range},
      {"%y = quantize %x {scheme=packed<affine, bits=9>}", "t:3:28: bits of affine scheme is 9, expected 2 to 8",
       Code::out_of_range},
      {"%y = quantize %x {scheme=packed<afine>}",
       "t:3:35: unknown quantisation method 'afine', did you mean 'affine'?"},
      {"%y = quantize %x {scheme=packed<affine, bit=4>}",
       "t:3:43: unknown field of a scheme 'bit', expected one of bits, group, scale"},
      {"%y = quantize %x {scheme=affine}", "t:3:28: expected 'packed' before a scheme, got 'affine'"},
      {"%y = full {shape=[], value=complex(1)}", "t:3:39: expected ',' between the parts of a complex number, got ')'"},
      {"%y = full {shape=[], value=complex(1, 1e39)}", "t:3:41: 1e39 is beyond the range of f32"},
      {"%y = custom [] {name=\"a\", attributes=[a=[1, 2.5, 1e400]], results=[f32[]]}",
       "t:3:52: 1e400 does not fit into f64"},
      {"%y = custom [] {name=\"a\", attributes=[a=1], results=[f32[]]}",
       "t:3:43: expected '[' in a list of numbers, got '1'"},
      {"%y = iota {length=3, dtype=i8, start=200}",
       "t:3:8: [iota] start is 200, expected an integer in -128..127 for i8", Code::out_of_range},
  });
}

TEST(RefusedStatements, OperandsAndResults) {
  expect_statements_refused({
      {"%y = add %x", "t:3:8: operand 'b' is missing: add takes a, b"},
      {"%y = abs %x, %x", "t:3:16: there are too many operands: abs takes x"},
      {"%y = abs", "t:3:8: operand 'x' is missing: abs takes x"},
      {"%y = abs _", "t:3:12: operand 'x' is mandatory: abs takes x"},
      {"%y = add %x,", "t:4:3: expected a value, got 'return'"},
      {"%y, %z = abs %x", "t:3:12: [abs] the number of names is 2, expected 1, one for each result"},
      {"%y = abs %x : f32[2, 3], f32[2, 3]", "t:3:8: [abs] the number of types is 2, expected 1, one for each result"},
      {"%y = abs %x : f32[3, 2]", "t:3:17: [abs] the declared type of result 0 is f32[3, 2], expected f32[2, 3]",
       Code::type_mismatch},
      {"%y = concatenate %x", "t:3:20: expected '[' in 'operands', got '%x'"},
      {"%y = concatenate []", "t:3:8: [concatenate] number of operands is 0, expected at least 1", Code::type_mismatch},
      {"%y abs %x", "t:3:6: expected '=' after the results, got 'abs'"},
      {"= abs %x", "t:3:3: expected an op, got '='"},
      {"%y = abs %x junk", "t:3:15: expected the end of the line, got 'junk'"},
      {"%y = abs %x loc(nam=\"a\")", "t:3:19: unknown part of loc 'nam', expected one of name, op, file"},
      {"%y = abs %x loc(name=\"a\", name=\"b\")", "t:3:29: name is given twice in loc"},
      {"%y = abs %x loc(name=a)", "t:3:24: expected a string, got 'a'"},
  });
}

TEST(RefusedStatements, Sizes) {
  expect_statements_refused({
      {"%y = full {shape=[2], value=1e999}", "t:3:31: 1e999 is beyond the range of a scalar"},
      {"%y = full {shape=[2], value=99999999999999999999}",
       "t:3:31: 99999999999999999999 is beyond the range of a scalar"},
      {"%y = full {shape=[99999999999999999999], value=1}",
       "t:3:21: expected a size, got 99999999999999999999, which is no i64"},
      {"%y = full {shape=[4611686018427387904, 4611686018427387904], value=1.0}",
       "t:2:8: [full] the sizes of axes 0 to 1 multiply to more than 2^63 - 1 elements (at f: y, nodes[0])",
       Code::limit},
      {"%y = full {shape=[2.5], value=1}", "t:3:21: expected a size, got 2.5, which is no i64"},
      {"%y = size_of {size=5 / 0}", "t:3:22: the divisor is 0, expected at least 1", Code::invalid_argument},
      {"%y = size_of {size=pow(1, 2)}", "t:3:22: unknown function 'pow' in a size, expected min, max or ceil"},
      {"%y = size_of {size=min(1)}", "t:3:27: expected ',' in a size, got ')'"},
  });
}

TEST(RefusedStatements, StringsAndBytes) {
  expect_statements_refused({
      {"%y = custom [%x] {name=\"a\\q\", results=[f32[]]}", "t:3:28: an escape is one of \\\" \\\\ \\n \\t \\xHH"},
      {"%y = custom [%x] {name=\"\\x1\", results=[f32[]]}", "t:3:27: \\x is followed by two hexadecimal digits"},
      {"%y = custom [%x] {name=\"open, results=[f32[]]}", "t:3:26: the string that begins here has no end on its line"},
      {"%y = \303\251", "t:3:8: expected an op, got 'é'"},
      {"%y = abs %x \001", "t:3:15: expected the end of the line, got '\\x01'"},
      {"%y = abs %x \377", "t:3:15: expected the end of the line, got '\\xff'"},
      {"%y = custom [] {name=\"\001\", results=[f32[]]}",
       "t:3:25: a string has no control characters; they are written as \\n, \\t or \\xHH"},
      {"%y = custom [] {name=\"\377\", results=[f32[]]}",
       "t:3:25: a string is UTF-8; other bytes are written as \\xHH"},
      {"%y = custom [] {name=\"a\000\", results=[f32[]]}"sv,
       "t:3:26: a string has no control characters; they are written as \\n, \\t or \\xHH"},
  });
}

// Sizes that nest, and types with many axes, are refused before they cost anything.
TEST(RefusedStatements, DeepAndWide) {
  const auto full = [](const std::string& shape) { return "%y = full {shape=[" + shape + "], value=1}"; };
  const std::string deep = full(fmt::format("{:(>100000}1", "")), minus = full(fmt::format("{:->100000}one", ""));
  std::string wide, calls;
  for (int i = 0; i < 65; ++i) wide += "1, ";
  for (int i = 0; i < 65; ++i) calls += "min(1, ";
  const std::string many = full(wide), nested = full(calls);
  expect_statements_refused({
      {deep, "t:3:85: a size nests deeper than 64"},
      {nested, "t:3:466: a size nests deeper than 64"},
      {minus, "t:3:100021: symbol one is not defined above"},
      {many, "t:3:20: the number of axes is 65, expected at most 64", Code::limit},
  });
}

// Ranks that add up: without a limit as they are made, the 30 lines would need 2^30 axes.
TEST(RefusedStatements, RanksThatDouble) {
  std::string text = "ingot 1\nmethod f(%v0: i32[1, 1, 1]) -> () {\n";
  for (int i = 1; i <= 30; ++i) {
    const std::string last = "%v" + std::to_string(i - 1);
    text += "  %v" + std::to_string(i) + " = take " + last + ", " + last + "\n";
  }
  expect_refused(text + "  return\n}\n", {"", "t:7:9: the number of axes is 65, expected at most 64", Code::limit});
}

// A graph of many outputs that is called without names for them: short text, large program.
TEST(RefusedStatements, ManyResultsWithoutNames) {
  std::string names, values;
  for (int i = 0; i < 66; ++i) {
    names += "y" + std::to_string(i) + ", ";
    values += (i ? ", %x" : "%x");
  }
  const std::string graph = "ingot 1\ngraph g(%x: f32[]) -> (" + names + ") {\n  return " + values + "\n}\n";
  const std::string method = "method f(%x: f32[]) -> () {\n  call [%x] {graph=@g}\n  return\n}\n";
  expect_refused(
      graph + method,
      {"",
       "t:6:3: [call] the number of outputs of graph 'g' is 66, expected at most 64 more than the 0 names of results"});
}

}  // namespace
}  // namespace ingot
