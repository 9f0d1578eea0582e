// Error: the one exception that Ingot throws.
//
// Ownership  a value; copies are independent.
// Threads    immutable once thrown, apart from the context that callers add on the way up.
// Failure    the text names the op, what was got and what is wanted:
//            `[rms_norm] weight has 7 elements, expected 64 (last dim of x)`.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace ingot {

enum class Code {
  invalid_argument,  // the caller passed something that cannot be
  type_mismatch,     // dtype or shape differs from what inference or a declaration says
  out_of_range,      // an index, id, attribute or size outside its range
  bad_file,          // bytes that are no valid file of their kind
  bad_text,          // text that does not parse; the message carries line and column
  version,           // a file that needs a newer reader
  limit,             // more than the stated limits allow
  not_found,         // a name, file or engine that does not exist
  unsupported,       // valid, but not something this build can do
  io,                // the operating system refused
  cancelled,         // the caller gave the work up
  misuse,            // an object that cannot be used now: moved from, empty, or in a call
  internal,          // a library below does not do what it was asked: a defect of Ingot
};

std::string_view to_string(Code code);

class Error : public std::exception {
 public:
  Error(Code code, std::string message);

  // `[op] subject is actual, expected expected`; an empty op drops the brackets.
  static Error mismatch(Code code, std::string_view op, std::string_view subject, std::string actual,
                        std::string expected);

  Code code() const { return code_; }
  const std::string& op() const { return op_; }
  const std::string& node() const { return node_; }
  const std::string& place() const { return place_; }
  const std::string& expected() const { return expected_; }
  const std::string& actual() const { return actual_; }
  // The sentence alone, without op and node.
  const std::string& message() const { return message_; }
  const char* what() const noexcept override { return text_.c_str(); }

  // Context that only a caller knows. The innermost op, node and place stay.
  Error& in_op(std::string_view op);
  Error& at_node(std::string_view node);
  Error& at_place(std::string_view place);  // `model.txt:12:7`: goes in front of everything

 private:
  void compose();

  Code code_;
  std::string op_, node_, place_, expected_, actual_, message_, text_;
};

}  // namespace ingot
