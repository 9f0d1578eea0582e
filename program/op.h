// Op: any op of the schema, as a value.
//
// A variant over more than a hundred structs costs every file that copies one many seconds to compile; here the work on
// each struct is compiled once, in op.cpp, and a node is as large as its own op.
//
// Ownership  an Op owns its struct; one that was moved from may only be assigned or destroyed.
// Threads    as any value.
#pragma once

#include <concepts>
#include <iterator>
#include <utility>

#include "gen/families.h"
#include "gen/ops.h"

namespace ingot {

inline constexpr size_t kOpCount = std::size(kOpFacts);

template <class O>
concept OpStruct = requires {
  { O::opcode } -> std::convertible_to<Opcode>;
};

class Op {
 public:
  Op() : Op(op::Unary{}) {}
  template <OpStruct O>
  Op(O op) : data_(new O(std::move(op))), opcode_(O::opcode) {}  // NOLINT(google-explicit-constructor): it is one
  Op(const Op& other);
  Op(Op&& other) noexcept : data_(std::exchange(other.data_, nullptr)), opcode_(other.opcode_) {}
  Op& operator=(Op other) noexcept {
    std::swap(data_, other.data_);
    std::swap(opcode_, other.opcode_);
    return *this;
  }
  ~Op();

  Opcode opcode() const { return opcode_; }
  size_t index() const { return static_cast<size_t>(opcode_); }

  // None where it is another op.
  template <OpStruct O>
  O* get_if() {
    return opcode_ == O::opcode ? static_cast<O*>(data_) : nullptr;
  }
  template <OpStruct O>
  const O* get_if() const {
    return opcode_ == O::opcode ? static_cast<const O*>(data_) : nullptr;
  }

  bool operator==(const Op& other) const;

 private:
  friend Op make_op(Opcode opcode);
  Op(void* data, Opcode opcode) : data_(data), opcode_(opcode) {}

  void* data_;
  Opcode opcode_;
};

// An op of that opcode with every field at its default; throws std::out_of_range beyond the last.
Op make_op(Opcode opcode);

// v(struct) for the struct that the op is.
template <class V, class O>
  requires std::same_as<std::remove_const_t<O>, Op>
decltype(auto) visit(V&& v, O& op) {
#define INGOT_VISIT_OP(T) \
  case op::T::opcode: return v(*op.template get_if<op::T>());
  switch (op.opcode()) { INGOT_ALL_OPS(INGOT_VISIT_OP) }
#undef INGOT_VISIT_OP
  __builtin_unreachable();
}

}  // namespace ingot
