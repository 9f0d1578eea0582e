// INGOT_CALL: calls the function that a layer has for an op, for the macros that bind each op to its function.
//
// The function stands above the macro, in the same file. An op without one is a single error of the compiler, which names
// op and file, instead of a list of the functions that other ops have.
#pragma once

#include <stdexcept>

// To be used where `each` is a `const op::O&`. `call` is an expression of it under the name `op`; `function` says in words
// what the call needs.
#define INGOT_CALL(O, Result, call, function)                                                                    \
  static_assert([]<class T>(const T*) { return requires(const T& op) { call; }; }(static_cast<op::O*>(nullptr)), \
                __FILE__ " lacks " function);                                                                    \
  return [&]<class T>(const T& op) -> Result {                                                                   \
    if constexpr (requires { call; }) return call;                                                               \
    throw std::logic_error(function);                                                                            \
  }(each)
