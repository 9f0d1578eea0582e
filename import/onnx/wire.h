// Message: one protobuf message on the wire, each field checked as it is read.
//
// protozero does the decoding; it asserts where the wire type of a field is not the one asked for, so that is settled
// here first, and its exceptions become errors that say where.
//
// Ownership  views into the bytes of the file; a Message points to its Place and Budget.
// Threads    one thread for one Budget.
// Failure    Code::bad_file with the place; Code::limit from the budget.
#pragma once

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <string_view>
#include <vector>

#include "program/file/reader.h"

namespace ingot::onnx {

using file::Place;

// What the structs made from a file may take: a small file cannot ask for much memory.
class Budget {
 public:
  explicit Budget(uint64_t file_bytes) : left_((uint64_t{64} << 20) + 32 * file_bytes) {}
  void spend(const Place& place, uint64_t bytes) {
    if (bytes > left_) {
      throw Error(Code::limit, file::to_string(place) + " needs many times the memory of the file that holds it");
    }
    left_ -= bytes;
  }

 private:
  uint64_t left_;
};

class Message {
 public:
  Message(std::string_view bytes, const Place& place, Budget& budget)
      : reader_(bytes.data(), bytes.size()), place_(place), budget_(budget) {}

  const Place& place() const { return place_; }
  Budget& budget() const { return budget_; }

  bool next() {
    return checked([this] { return reader_.next(); });
  }
  uint32_t tag() const { return reader_.tag(); }
  void skip() {
    checked([this] { reader_.skip(); });
  }

  // The current field. Throws where it is on the wire as something else.
  std::string_view bytes() {
    expect(protozero::pbf_wire_type::length_delimited, "text or a message");
    const protozero::data_view view = checked([this] { return reader_.get_view(); });
    return {view.data(), view.size()};
  }
  int64_t integer() {
    expect(protozero::pbf_wire_type::varint, "an integer");
    return checked([this] { return reader_.get_int64(); });
  }
  float real() {
    expect(protozero::pbf_wire_type::fixed32, "a float");
    return checked([this] { return reader_.get_float(); });
  }
  double wide_real() {
    expect(protozero::pbf_wire_type::fixed64, "a double");
    return checked([this] { return reader_.get_double(); });
  }

  // f(element) for each element of a repeated number, packed or one by one.
  template <class F>
  void each_integer(F f) {
    if (!packed()) return f(integer());
    checked([&] {
      for (const int64_t x : reader_.get_packed_int64()) f(x);
    });
  }
  template <class F>
  void each_real(F f) {
    if (!packed()) return f(real());
    checked([&] {
      for (const float x : reader_.get_packed_float()) f(x);
    });
  }
  template <class F>
  void each_wide_real(F f) {
    if (!packed()) return f(wide_real());
    checked([&] {
      for (const double x : reader_.get_packed_double()) f(x);
    });
  }

  // A new element at the end of a list, paid from the budget.
  template <class T>
  T& append(std::vector<T>& list, T element = {}) {
    budget_.spend(place_, sizeof(T));
    return list.emplace_back(std::move(element));
  }

  [[noreturn]] void refuse(std::string actual, std::string expected) const {
    throw file::wrong(place_, std::move(actual), std::move(expected));
  }

 private:
  bool packed() const { return reader_.has_wire_type(protozero::pbf_wire_type::length_delimited); }

  void expect(protozero::pbf_wire_type type, const char* what) const {
    if (reader_.has_wire_type(type)) return;
    refuse("malformed: field " + std::to_string(reader_.tag()) + " has another wire type", what);
  }

  template <class F>
  auto checked(F f) -> decltype(f()) {
    try {
      return f();
    } catch (const protozero::exception& error) {
      refuse(std::string("malformed (") + error.what() + ")", "a whole protobuf message");
    }
  }

  protozero::pbf_reader reader_;
  const Place& place_;
  Budget& budget_;
};

}  // namespace ingot::onnx
