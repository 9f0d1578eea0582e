// Inference: the type of every result, from the op, its operands' types and its attributes.
//
// The one place where an op is checked: builder, importers, parser and verifier call it, engines trust it. The rule of
// an op is a function `rule(const op::X&, const Scope&)` in program/ops/<family>.cpp; INGOT_RULES(family) at the end of
// that file binds the rules of the family, so an op without one does not compile.
//
// Threads    pure functions.
// Failure    Error with the op's name, what was got and what is wanted.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gen/families.h"
#include "program/bind.h"
#include "program/error.h"
#include "program/program.h"

namespace ingot {

using Types = std::vector<TensorType>;

// What a rule may look at, and how it refuses. Ids in the op are valid when a rule is called.
struct Scope {
  const Program& program;
  const Graph& graph;
  std::string_view op;  // mnemonic, for messages

  const TensorType& type(Ref ref) const { return graph.type(ref); }
  const Graph& callee(GraphId id) const { return program.graphs[id.id]; }
  const State& state(StateId id) const { return program.states[id.id]; }
  const Symbol& symbol(SymbolId id) const { return program.symbols[id.id]; }

  // `[op] subject is actual, expected expected`
  [[noreturn]] void refuse(std::string_view subject, std::string actual, std::string expected,
                           Code code = Code::type_mismatch) const {
    throw Error::mismatch(code, op, subject, std::move(actual), std::move(expected));
  }
};

// Defined for every op by INGOT_RULES.
template <class O>
Types infer(const O& op, const Scope& scope);

// Precondition: every id in the op is in range and every operand defined before (check_ids does both).
Types infer(const Op& op, const Program& program, const Graph& graph);

// Every id in range, every operand defined in `graph`, every called graph before graph number `self`.
void check_ids(const Op& op, const Program& program, const Graph& graph, uint32_t self);

// ------------------------------------------------------------------------------- checks that the rules share

// A set of Kinds, for the tables of what an op computes on.
using Kinds = unsigned;
constexpr Kinds only(Kind kind) { return 1U << static_cast<unsigned>(kind); }
namespace kinds {
inline constexpr Kinds boolean = only(Kind::boolean), integer = only(Kind::unsigned_int) | only(Kind::signed_int),
                       real = only(Kind::real), complex = only(Kind::complex), number = integer | real | complex,
                       computable = boolean | number;
}
inline bool within(Kinds kinds, DType dtype) { return (kinds & only(kind(dtype))) != 0; }

void require_kind(const Scope& scope, std::string_view subject, DType actual, Kinds allowed);
void require_dtype(const Scope& scope, std::string_view subject, DType actual, std::span<const DType> allowed);
DType promote_or_refuse(const Scope& scope, DType a, DType b);

// The axis counted from the front. Throws unless -rank <= axis < rank.
int64_t normalize_axis(const Scope& scope, std::string_view subject, int64_t axis, int64_t rank);
// The same for a list, which may not name an axis twice.
std::vector<int64_t> normalize_axes(const Scope& scope, std::string_view subject, std::span<const int64_t> axes,
                                    int64_t rank);

// Throw unless provable, with both sides in the message; `why` says where the expected side comes from.
void require_equal(const Scope& scope, std::string_view subject, const Dim& actual, const Dim& expected,
                   std::string_view why = {});
void require_at_most(const Scope& scope, std::string_view subject, const Dim& actual, const Dim& limit);
void require_at_least(const Scope& scope, std::string_view subject, const Dim& actual, const Dim& limit);
void require_type(const Scope& scope, std::string_view subject, const TensorType& actual, const TensorType& expected,
                  std::string_view why = {});
// Every axis but `except` (counted from the front) has the size that `expected` has.
void require_same_sizes(const Scope& scope, std::string_view subject, const Shape& actual, const Shape& expected,
                        std::span<const int64_t> except, std::string_view why);
// Sizes a rule makes up from attributes: none may be negative.
void require_sizes(const Scope& scope, std::string_view subject, const Shape& shape);
// The symbol of a count, which may turn out to be as small as `least`: its bounds may not promise more.
void require_counts_from(const Scope& scope, const Symbol& count, int64_t least, std::string_view why);
// Lengths of lists, ranks, numbers of operands.
void require_count(const Scope& scope, std::string_view subject, size_t actual, size_t expected, std::string_view why);

// NumPy's rule on sizes that can be compared: equal, or one of them the literal 1.
Shape broadcast_shapes(const Scope& scope, const Shape& a, const Shape& b);
// `from` stretches to exactly `to`.
void require_broadcast(const Scope& scope, std::string_view subject, const Shape& from, const Shape& to);

#define INGOT_BIND_RULE(O)                                                          \
  template <>                                                                       \
  Types infer<op::O>(const op::O& each, const Scope& scope) {                       \
    INGOT_CALL(O, Types, rule(op, scope), "rule(const op::" #O "&, const Scope&)"); \
  }
// At the end of program/ops/<family>.cpp: every op of the family needs its `rule` above.
#define INGOT_RULES(family) INGOT_OPS_OF_##family(INGOT_BIND_RULE)

}  // namespace ingot
