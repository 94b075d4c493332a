// SPDX-License-Identifier: Apache-2.0
#include "api/json_document.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace aliquot::api {
namespace {

constexpr std::size_t kMinCapacity = std::size_t{16} << 10;
std::atomic<std::size_t> max_recycled_capacity{std::size_t{1} << 20};
constexpr std::size_t kMaxRecycledBuffers = 8;

std::string Sentence(simdjson::error_code error, std::size_t max_depth) {
  switch (error) {
    case simdjson::EMPTY:
      return "is empty; send JSON";
    case simdjson::UTF8_ERROR:
      return "holds bytes that are not UTF-8; send JSON in UTF-8";
    case simdjson::DEPTH_ERROR:
      return "is nested deeper than " + std::to_string(max_depth) + " levels; send less nesting";
    case simdjson::NUMBER_ERROR:
      return "holds a number that is malformed or beyond 64 bits; send a smaller one";
    case simdjson::CAPACITY:
    case simdjson::MEMALLOC:
      return "is too large to read; send less";
    default:
      return "is not JSON, or is cut short; send one complete JSON value";
  }
}

}  // namespace

struct JsonDocument::Buffers {
  simdjson::dom::parser parser;
  std::string text;
};

// The buffers of documents that are gone, the latest on top. One for the process, not one a thread:
// thirty workers that each saw one request for 5,000 nodes kept two megabytes each.
class JsonDocument::Recycler {
 public:
  static Recycler& Shared() {
    static Recycler& shared = *new Recycler();  // outlives every static document
    return shared;
  }

  std::unique_ptr<Buffers> Take() {
    MutexLock lock(mutex_);
    if (unused_.empty()) {
      return nullptr;
    }
    std::unique_ptr<Buffers> buffers = std::move(unused_.back());
    unused_.pop_back();
    return buffers;
  }

  void Return(std::unique_ptr<Buffers> buffers) {
    MutexLock lock(mutex_);
    if (unused_.size() < kMaxRecycledBuffers) {
      unused_.push_back(std::move(buffers));
    }
  }

 private:
  Mutex mutex_;
  std::vector<std::unique_ptr<Buffers>> unused_ GUARDED_BY(mutex_);
};

JsonDocument::JsonDocument() : buffers_(Recycler::Shared().Take()) {
  if (buffers_ == nullptr) {
    buffers_ = std::make_unique<Buffers>();
  }
}

JsonDocument::~JsonDocument() {
  if (buffers_->parser.capacity() <= max_recycled_capacity.load()) {
    Recycler::Shared().Return(std::move(buffers_));
  }
}

Result<simdjson::dom::element> JsonDocument::Parse(std::string_view json, std::size_t max_depth) {
  simdjson::dom::parser& parser = buffers_->parser;
  if (parser.capacity() < json.size() || parser.max_depth() != max_depth) {
    // Left to itself the parser would grow with its own default depth.
    std::size_t capacity = std::max(parser.capacity(), kMinCapacity);
    while (capacity < json.size()) {
      capacity *= 2;
    }
    if (const auto error = parser.allocate(capacity, max_depth)) {
      return InvalidArgument(Sentence(error, max_depth));
    }
  }
  if (parser.doc.capacity() < parser.capacity()) {
    if (const auto error = parser.doc.allocate(parser.capacity())) {
      return InvalidArgument(Sentence(error, max_depth));
    }
  }
  std::string& text = buffers_->text;
  text.reserve(json.size() + simdjson::SIMDJSON_PADDING);
  text.assign(json);
  simdjson::dom::element root;
  if (const auto error = parser.parse(text.data(), text.size(), false).get(root)) {
    return InvalidArgument(Sentence(error, max_depth));
  }
  return root;
}

void JsonDocument::KeepBuffersUpTo(std::size_t text_bytes) { max_recycled_capacity = text_bytes; }

std::string_view JsonDocument::text() const { return buffers_->text; }

}  // namespace aliquot::api
