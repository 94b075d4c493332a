// SPDX-License-Identifier: Apache-2.0
#pragma once

// What entries.S hands to a judge and gets back; its layout is known there.

extern "C" {

struct AliquotDlCall {
  void* argument[3];
  const void* caller;  // where the call returns to
};

struct AliquotVerdict {
  void* answer;
  void* jump;  // instead of answering; null: answer
};

}  // extern "C"

namespace aliquot::interposer {

inline AliquotVerdict Answer(void* answer) { return {answer, nullptr}; }
template <typename Function>
AliquotVerdict Jump(Function function) {
  return {nullptr, reinterpret_cast<void*>(function)};
}

}  // namespace aliquot::interposer
