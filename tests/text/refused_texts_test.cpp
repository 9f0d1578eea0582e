// Declarations and whole texts that are refused: the message says where and what.
#include <gtest/gtest.h>

#include <string>

#include "tests/text/text_support.h"

namespace ingot {
namespace {

using test::expect_refused;
using test::Refused;

template <size_t N>
void expect_texts_refused(const Refused (&rows)[N]) {
  for (const Refused& row : rows) {
    SCOPED_TRACE(row.text);
    expect_refused(row.text, row);
  }
}

TEST(RefusedTexts, Versions) {
  expect_texts_refused({
      {"",
       "t:1:1: expected 'ingot' and the format version at the start of the text, as in 'ingot 1', got the end of the "
       "text"},
      {"ingot", "t:1:6: expected the format version, got the end of the text"},
      {"ingot 2\n", "t:1:1: the text has format version 2, this build reads version 1; a newer build of Ingot reads it",
       Code::version},
      {"ingot 0\n", "t:1:1: the text has format version 0, this build reads version 1", Code::version},
      {"ingot x\n", "t:1:7: expected the format version, got 'x'"},
      {"ingot 1 symbol S\n", "t:1:9: expected the end of the line, got 'symbol'"},
      {"torch 1\n",
       "t:1:1: expected 'ingot' and the format version at the start of the text, as in 'ingot 1', got 'torch'"},
      {"ingot 99999999999999999999\n", "t:1:7: expected the format version, got 99999999999999999999, which is no i64"},
  });
}

TEST(RefusedTexts, Symbols) {
  expect_texts_refused({
      {"ingot 1\nsymbol S\nsymbol S\n", "t:3:8: symbol S is defined already"},
      {"ingot 1\nsymbol S in 5..3\n", "t:2:1: the range of symbol S is 5..3, expected 0 <= min <= max",
       Code::invalid_argument},
      {"ingot 1\nsymbol S in 1\n", "t:3:1: expected '..' after the least size, got the end of the text"},
      {"ingot 1\nsymbol 5\n", "t:2:8: expected the name of a symbol, got '5'"},
      {"ingot 1\nsymbol S in -1..\n",
       "t:2:1: the range of symbol S is -1..9223372036854775807, expected 0 <= min <= max", Code::invalid_argument},
      {"ingot 1\nfoo\n", "t:2:1: expected symbol, weights_from, weight, state, graph or method, got 'foo'"},
      {"ingot 1\nsymbol S extra\n", "t:2:10: expected the end of the line, got 'extra'"},
  });
}

TEST(RefusedTexts, WeightsAndStates) {
  expect_texts_refused({
      {"ingot 1\nweight @w : f32[2] = [1, 2]\nweight @w : f32[2] = [1, 2]\n", "t:3:8: weight @w is defined already"},
      {"ingot 1\nweight @w : packed[2] = [1, 2]\n", "t:2:19: expected '<' after packed, got '['"},
      {"ingot 1\nsymbol S\nweight @w : f32[S] = []\n",
       "t:3:13: the type of weight @w is f32[S], expected literal sizes"},
      {"ingot 1\nweight @w : f32[2] = ref \"0123\"\n", "t:2:26: a content hash has 4 digits, expected 32"},
      {"ingot 1\nweight @w : f32[2] = ref \"0123456789abcdef0123456789abcdeg\"\n",
       "t:2:26: a content hash consists of hexadecimal digits"},
      {"ingot 1\nweight @w : f32[2] = ref \"0123456789abcdef0123456789abcdef\"\n",
       "t:2:1: no weight has the hash 0123456789abcdef0123456789abcdef, and weights_from names no file",
       Code::not_found},
      {"ingot 1\nweights_from \"a.ingot\"\nweight @w : f32[2] = ref \"0123456789abcdef0123456789abcdef\"\n",
       "t:3:1: no weight has the hash 0123456789abcdef0123456789abcdef, looked in a.ingot", Code::not_found},
      {"ingot 1\nweight @w : f32[2] = file \"a\" tensor \"b\"\n",
       "t:2:1: tensor \"b\" is kept in \"a\", and external files are not read here", Code::not_found},
      {"ingot 1\nweight w : f32[2] = [1, 2]\n", "t:2:8: expected the name of a weight, such as @w, got 'w'"},
      {"ingot 1\nweight @w f32[2] = [1, 2]\n", "t:2:11: expected ':' after the name of a weight, got 'f32'"},
      {"ingot 1\nweight @w : f32[2] [1, 2]\n",
       "t:2:20: expected '=' or the end of the line after the type of a weight, got '['"},
      {"ingot 1\nweight @w : f32[2] =\n", "t:3:1: expected '[' in the contents, got the end of the text"},
      {"ingot 1\nweight @w : f32[2] = zeros 1\n", "t:2:28: expected the end of the line, got '1'"},
      {"ingot 1\nsymbol S\nweight @w : f32[S] = zeros\n",
       "t:3:13: the type of weight @w is f32[S], expected literal sizes"},
      {"ingot 1\nweight @w : f32[2]\nstate @s : f32[2] = @w\n",
       "t:1:1: state @s initial is weight @w without contents, expected zeros, or a weight with contents",
       Code::invalid_argument},
      {"ingot 1\nweight @w : f32 = [1]\n", "t:2:17: expected '[' in a shape, got '='"},
      {"ingot 1\nstate @s : f32[2] = @w\n", "t:2:21: weight @w is not defined above"},
      {"ingot 1\nsymbol S\nstate @s : f32[S] = zeros\n",
       "t:3:12: the type of state @s is f32[S], expected literal sizes"},
      {"ingot 1\nstate @s : f32[2] = zeros\nstate @s : f32[2] = zeros\n", "t:3:7: state @s is defined already"},
      {"ingot 1\nweight @w : f32[2] = [1, 2]\nstate @s : f32[3] = @w\n",
       "t:1:1: state @s initial is f32[2], expected f32[3]", Code::type_mismatch},
      {"ingot 1\nweight @w : f33[1] = [1]\n", "t:2:13: unknown dtype 'f33', did you mean 'f32'?"},
      {"ingot 1\nweight @w : xyzzy[1] = [1]\n", "t:2:13: unknown dtype 'xyzzy'"},
  });
}

TEST(RefusedTexts, Contents) {
  expect_texts_refused({
      {"ingot 1\nweight @w : f32[2] = [1]\n", "t:2:22: the contents of f32[2] have 1 elements, expected 2"},
      {"ingot 1\nweight @w : f32[2] = [1, 2, 3]\n", "t:2:29: the contents of f32[2] have more than 2 elements"},
      {"ingot 1\nweight @w : f32[2] = hex\"00\"\n",
       "t:2:25: the contents of f32[2] have 2 hexadecimal digits, expected two for each of 8 bytes"},
      {"ingot 1\nweight @w : f32[1] = hex\"0000000g\"\n",
       "t:2:25: byte 3 of the contents is not two hexadecimal digits"},
      {"ingot 1\nweight @w : u8[1] = [256]\n", "t:2:22: 256 is no number that u8 holds"},
      {"ingot 1\nweight @w : i4[1] = [8]\n", "t:2:22: 8 is no number that i4 holds"},
      {"ingot 1\nweight @w : f16[1] = [65520]\n", "t:2:23: 65520 is no number that f16 holds"},
      {"ingot 1\nweight @w : f8e8m0[1] = [3.0]\n", "t:2:26: 3.0 is no number that f8e8m0 holds"},
      {"ingot 1\nweight @w : f4e2m1[1] = [nan]\n", "t:2:26: nan is no number that f4e2m1 holds"},
      {"ingot 1\nweight @w : bool[1] = [1]\n", "t:2:24: expected true or false for an element, got '1'"},
      {"ingot 1\nweight @w : c64[1] = [1]\n",
       "t:2:23: expected 'complex' before the parts of a complex number, got '1'"},
      {"ingot 1\nweight @w : packed<affine>[2] = [1, 2]\n",
       "t:2:34: expected hex\"…\" for the contents of a packed tensor, got '1'"},
      {"ingot 1\nweight @w : f32[4611686018427387904, 4] = []\n",
       "t:2:1: the sizes of axes 0 to 1 multiply to more than 2^63 - 1 elements", Code::limit},
      {"ingot 1\nweight @w : f32[9223372036854775807] = []\n",
       "t:2:1: 9223372036854775807 elements of f32 have more than 2^63 - 1 bytes", Code::limit},
      {"ingot 1\nweight @w : f32[1000000000000] = []\n",
       "t:2:34: the contents of f32[1000000000000] have 0 elements, expected 1000000000000"},
      {"ingot 1\nweight @w : f32[-1] = []\n", "t:2:1: size of axis 0 is -1, expected 0 or more", Code::out_of_range},
      {"ingot 1\nweight @w : f32[1] = [1\n", "t:3:1: expected ',' or ']' in the contents, got the end of the text"},
  });
}

TEST(RefusedTexts, Graphs) {
  expect_texts_refused({
      {"ingot 1\ngraph g() -> () {\n  return\n}\ngraph g() -> () {\n  return\n}\n",
       "t:5:7: graph @g is defined already"},
      {"ingot 1\nmethod f() -> (y) {\n  return\n}\n", "t:3:3: return has 0 values, expected 1"},
      {"ingot 1\nmethod f(%x: f32[]) -> (y) {\n  return %x, %x\n}\n", "t:3:3: return has more than 1 values"},
      {"ingot 1\nmethod f(%x: f32[]) -> (y, z) {\n  return %x\n}\n", "t:3:3: return has 1 values, expected 2"},
      {"ingot 1\nmethod f(%x: f32[]) -> () {\n  return %x\n}\n", "t:3:3: return has more than 0 values"},
      {"ingot 1\nmethod f(%x: f32[], %x: f32[]) -> () {\n  return\n}\n", "t:2:21: value %x is defined already"},
      {"ingot 1\nmethod f(%x: f32[]) -> (y, y) {\n  return %x, %x\n}\n", "t:2:28: output y is defined already"},
      {"ingot 1\nmethod f(%1: f32[]) -> () {\n  return\n}\n", "t:2:10: input %1 has no name, only a number"},
      {"ingot 1\nmethod f(%x: f32[]) -> (f64[] y) {\n  return %x\n}\n",
       "t:2:25: the declared type of output y is f64[], expected f32[]", Code::type_mismatch},
      {"ingot 1\nsymbol S\nmethod f() -> (y) {\n  %y = full {shape=[S], value=1.0}\n  return %y\n}\n",
       "t:3:8: symbol S is never bound, expected bound by the sizes of an input or by an op (at f)",
       Code::invalid_argument},
      {"ingot 1\nmethod f() -> () {\n  return\n} junk\n", "t:4:3: expected the end of the line, got 'junk'"},
      {"ingot 1\nmethod f() -> () {\n", "t:3:1: expected an op, got the end of the text"},
      {"ingot 1\nmethod f(%x: f32[-1]) -> () {\n  return\n}\n",
       "t:2:8: a size of f32[-1] is -1, expected provably at least 0 (at f)", Code::out_of_range},
      // Ops are checked before the types of inputs are.
      {"ingot 1\nmethod f(%x: f32[5], %i: i64[2, -1]) -> (y) {\n  %y = gather_nd %x, %i\n  return %y\n}\n",
       "t:3:8: [gather_nd] last axis of indices is -1, expected at least 0", Code::out_of_range},
      {"ingot 1\nmethod f(%x: f32[]) -> (y) {\n  %y = abs %x %z = abs %x\n  return %y\n}\n",
       "t:3:15: expected the end of the line, got '%z'"},
      {"ingot 1\nmethod f(%x: f32[]) -> (y) { %y = abs %x return %y }\n",
       "t:2:42: expected the end of the line, got 'return'"},
      {"ingot 1\ngraph c(%x: f32[]) -> (y) {\n  %y = if %x, [] {on_true=@c, on_false=@c}\n  return %y\n}\n",
       "t:3:27: graph @c is not defined above"},
      {"ingot 1\nmethod f(%x: f32[9223372036854775807, 9223372036854775807]) -> () {\n  return\n}\n",
       "t:2:8: the sizes of axes 0 to 1 multiply to more than 2^63 - 1 elements (at f)", Code::limit},
      {"ingot 1\nmethod f(%x: f32[4611686018427387904 * 4]) -> () {\n  return\n}\n",
       "t:2:18: a size leaves 64 bits: 4611686018427387904 * 4", Code::limit},
  });
}

// ---------------------------------------------------------------------------------------------------------- limits

TEST(RefusedTexts, BeyondTheLimits) {
  const char* text =
      "ingot 1\nsymbol S\nweight @w : f32[] = [1]\nstate @s : f32[] = zeros\n"
      "method f(%x: f32[S]) -> (y) {\n  %y = abs @w\n  return %y\n}\n";
  const Limits enough{.nodes = 1,
                      .values = 3,
                      .graphs = 1,
                      .weights = 1,
                      .states = 1,
                      .symbols = 1,
                      .rank = 1,
                      .nesting = 1,
                      .name_bytes = 1,
                      .tensor_bytes = 4};
  EXPECT_NO_THROW(parse(text, {.limits = enough}));
  const auto refused = [&](auto Limits::* limit, std::string_view message) {
    Limits less = enough;
    --(less.*limit);
    expect_refused(text, {text, message, Code::limit}, {.limits = less});
  };
  refused(&Limits::nodes, "t:1:1: the number of nodes is 1, expected at most 0");
  refused(&Limits::values, "t:1:1: the number of values is 3, expected at most 2");
  refused(&Limits::graphs, "t:1:1: the number of graphs is 1, expected at most 0");
  refused(&Limits::weights, "t:1:1: the number of weights is 1, expected at most 0");
  refused(&Limits::states, "t:1:1: the number of states is 1, expected at most 0");
  refused(&Limits::symbols, "t:1:1: the number of symbols is 1, expected at most 0");
  refused(&Limits::rank, "t:5:17: the number of axes is 1, expected at most 0");
  refused(&Limits::nesting, "t:1:1: the number of nested calls of graph f is 1, expected at most 0");
  refused(&Limits::name_bytes, "t:1:1: the name of a symbol is 1 bytes long, expected at most 0");
  refused(&Limits::tensor_bytes, "t:1:1: f32[] is 4 bytes, expected at most 3");
}

// ------------------------------------------------------------------------------------------------------ damaged texts

constexpr std::string_view method_text = R"(method "a \"b\"\x00"(%x: f32[2 * S, 3], %k: u32[2]) -> (f32[2 * S] y, z) {
  // a comment
  %n, %1 = scan [%x], [], [%x] {body=@g, length=ceil(S, 2), reverse=true} : f32[2 * S, 3], f32[ceil(S, 2)]
  %r = random_normal %k {shape=[2 * S], dtype=f32, offset=-1.5e-3, scale=1.0} loc(name="r", op="aten::randn")
  %l = layer_norm %n, _, @w {eps=1e-6}
  custom [%l, @w] {name="log", attributes=[a=[1, -2], b=[0.5, nan], c="text"], results=[]}
  return %r, @w
})";
const std::string whole_text = R"(ingot 1
symbol S in 1..16
weight @w : f32[3] = [1, -inf, 2.5e-3]
graph g(%x: f32[2 * S, 3], %y: f32[2 * S, 3]) -> (x, z) {
  %z = full {shape=[], value=0.0}
  return %x, %z
}
)" + std::string(method_text);

TEST(RefusedTexts, TruncatedAtEveryLength) {
  ASSERT_NO_THROW(parse(whole_text));
  const size_t method = whole_text.size() - method_text.size();
  for (size_t length = 0; length < whole_text.size(); ++length) {
    const std::string start = whole_text.substr(0, length);
    // Before the method, what ends with a declaration is a program.
    if (length > method)
      EXPECT_THROW(parse(start), Error) << start;
    else
      try {
        parse(start);
      } catch (const Error&) {
      }
  }
}

// A byte that does not belong there: refused, or another program, which comes back from its own text.
TEST(RefusedTexts, DamagedAtEveryByte) {
  size_t accepted = 0;
  for (size_t i = 0; i < whole_text.size(); ++i) {
    for (char byte : {'\0', '\n', '"', '%', '(', '}', '\\', '9', '\x7f', '\xff'}) {
      std::string text = whole_text;
      text[i] = byte;
      try {
        const std::string printed = print(parse(text));
        EXPECT_EQ(print(parse(printed)), printed) << text;
        ++accepted;
      } catch (const Error& error) {
        EXPECT_TRUE(std::string_view(error.what()).starts_with("<text>:")) << error.what();
      }
    }
  }
  EXPECT_GT(accepted, 100u);
}

}  // namespace
}  // namespace ingot
