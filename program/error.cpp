#include "program/error.h"

#include <utility>

namespace ingot {

std::string_view to_string(Code code) {
  switch (code) {
    case Code::invalid_argument: return "invalid argument";
    case Code::type_mismatch: return "type mismatch";
    case Code::out_of_range: return "out of range";
    case Code::bad_file: return "bad file";
    case Code::bad_text: return "bad text";
    case Code::version: return "version";
    case Code::limit: return "limit";
    case Code::not_found: return "not found";
    case Code::unsupported: return "unsupported";
    case Code::io: return "io";
    case Code::cancelled: return "cancelled";
    case Code::misuse: return "misuse";
    case Code::internal: return "internal";
  }
  return "unknown";
}

Error::Error(Code code, std::string message) : code_(code), message_(std::move(message)) { compose(); }

Error Error::mismatch(Code code, std::string_view op, std::string_view subject, std::string actual,
                      std::string expected) {
  std::string message(subject);
  message.append(" is ").append(actual).append(", expected ").append(expected);
  Error error(code, std::move(message));
  error.op_ = op;
  error.actual_ = std::move(actual);
  error.expected_ = std::move(expected);
  error.compose();
  return error;
}

Error& Error::in_op(std::string_view op) {
  if (op_.empty()) op_ = op;
  compose();
  return *this;
}

Error& Error::at_node(std::string_view node) {
  if (node_.empty()) node_ = node;
  compose();
  return *this;
}

Error& Error::at_place(std::string_view place) {
  if (place_.empty()) place_ = place;
  compose();
  return *this;
}

void Error::compose() {
  text_.clear();
  if (!place_.empty()) text_.append(place_).append(": ");
  if (!op_.empty()) text_.append("[").append(op_).append("] ");
  text_.append(message_);
  if (!node_.empty()) text_.append(" (at ").append(node_).append(")");
}

}  // namespace ingot
