// SPDX-License-Identifier: Apache-2.0
#include "interposer/launch_events.h"

#include "interposer/hook.h"

ALIQUOT_DRIVER_FUNCTION(CUresult, cuCtxGetCurrent, (CUcontext * context));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuCtxGetDevice, (CUdevice * device));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuEventCreate, (CUevent * event, unsigned int flags));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuEventRecord, (CUevent event, CUstream stream));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuEventQuery, (CUevent event));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuEventElapsedTime, (float* ms, CUevent start, CUevent end));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuStreamGetCtx, (CUstream stream, CUcontext* context));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuStreamIsCapturing,
                        (CUstream stream, CUstreamCaptureStatus* status));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * mode));

namespace aliquot::interposer {
namespace {

constexpr std::uint32_t kMostFaults = 8;

template <typename T>
T Load(const T& from) {
  return __atomic_load_n(&from, __ATOMIC_ACQUIRE);
}

template <typename T>
void Store(T& to, T value) {
  __atomic_store_n(&to, value, __ATOMIC_RELEASE);
}

bool Step(LaunchSample& sample, std::uint32_t from, std::uint32_t to) {
  return __atomic_compare_exchange_n(&sample.step, &from, to, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED);
}

// While another thread captures, making or querying an event from a thread in the ordinary mode
// would spoil that capture; in the relaxed mode it does not (cuThreadExchangeStreamCaptureMode).
class RelaxedCaptureMode {
 public:
  RelaxedCaptureMode() {
    changed_ = ALIQUOT_REAL(cuThreadExchangeStreamCaptureMode)(&mode_) == CUDA_SUCCESS;
  }
  ~RelaxedCaptureMode() {
    if (changed_) {
      ALIQUOT_REAL(cuThreadExchangeStreamCaptureMode)(&mode_);
    }
  }
  RelaxedCaptureMode(const RelaxedCaptureMode&) = delete;
  RelaxedCaptureMode& operator=(const RelaxedCaptureMode&) = delete;

 private:
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
  bool changed_ = false;
};

CUcontext CurrentContext() {
  CUcontext context = nullptr;
  return ALIQUOT_REAL(cuCtxGetCurrent)(&context) == CUDA_SUCCESS ? context : nullptr;
}

SamplePool* FindPool(LaunchState& state, CUcontext context) {
  for (SamplePool& pool : state.pool) {
    if (Load(pool.context) == context) {
      return &pool;
    }
  }
  return nullptr;
}

SamplePool* PoolOf(LaunchState& state, CUcontext context) {
  if (SamplePool* const known = FindPool(state, context)) {
    return known;
  }
  CUdevice device = -1;
  if (ALIQUOT_REAL(cuCtxGetDevice)(&device) != CUDA_SUCCESS) {
    return nullptr;
  }
  for (SamplePool& pool : state.pool) {
    CUcontext none = nullptr;
    if (__atomic_compare_exchange_n(&pool.context, &none, context, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      Store(pool.device, std::int32_t{device});
      return &pool;
    }
    if (none == context) {
      return &pool;
    }
  }
  return nullptr;
}

// A stream with a handle of its own may be of another context than the thread's.
bool OfContext(CUstream stream, CUcontext context) {
  if (reinterpret_cast<std::uintptr_t>(stream) <= 2) {
    return true;
  }
  CUcontext of_stream = nullptr;
  return ALIQUOT_REAL(cuStreamGetCtx)(stream, &of_stream) == CUDA_SUCCESS && of_stream == context;
}

bool MakeEvents(LaunchSample& sample) {
  const RelaxedCaptureMode relaxed;
  CUevent* const events[] = {&sample.before, &sample.after};
  for (CUevent* const event : events) {
    if (*event == nullptr && ALIQUOT_REAL(cuEventCreate)(event, 0) != CUDA_SUCCESS) {
      *event = nullptr;
      return false;
    }
  }
  return true;
}

LaunchSample* ClaimSample(SamplePool& pool) {
  for (LaunchSample& sample : pool.sample) {
    if (Load(sample.step) == SampleStep::kFree &&
        Step(sample, SampleStep::kFree, SampleStep::kTaking)) {
      return &sample;
    }
  }
  return nullptr;
}

void Fault(SamplePool& pool) { __atomic_fetch_add(&pool.faults, 1U, __ATOMIC_RELAXED); }

// GPU time that the launches of a sample's kind were charged too little or too much.
void BookMore(const LaunchBook& book, std::int64_t more) {
  if (book.cell != nullptr && more != 0) {
    __atomic_fetch_add(&book.cell->busy_ns, static_cast<std::uint64_t>(more), __ATOMIC_RELAXED);
  }
}

// Looks at one sample that is under way; false when the driver answers for none any more.
bool Settle(const LaunchBook& book, const ShareNow& share, SamplePool& pool, LaunchSample& sample,
            std::uint64_t now_ns) {
  const CUresult done = ALIQUOT_REAL(cuEventQuery)(sample.after);
  if (done == CUDA_ERROR_NOT_READY) {
    Store(sample.step, SampleStep::kUnderway);
    return true;
  }
  float ms = 0;
  if (done != CUDA_SUCCESS ||
      ALIQUOT_REAL(cuEventElapsedTime)(&ms, sample.before, sample.after) != CUDA_SUCCESS) {
    Fault(pool);
    SampleLost(*book.flight, *sample.cost, sample.mark_ns, now_ns);
    Store(sample.step, SampleStep::kFree);
    return false;
  }
  const auto elapsed = static_cast<std::uint64_t>(ms < 0 ? 0 : static_cast<double>(ms) * 1e6);
  const bool known = Load(sample.cost->key) == sample.key;
  BookMore(book,
           known ? SampleEnded(*book.pace, *book.flight, *sample.cost, share, sample.mark_ns,
                               elapsed, now_ns)
                 : UnknownEnded(*book.pace, *book.flight, share, sample.mark_ns, elapsed, now_ns));
  Store(sample.step, SampleStep::kFree);
  return true;
}

void Clear(SamplePool& pool) {
  for (LaunchSample& sample : pool.sample) {
    if (Load(sample.step) == SampleStep::kUnderway) {
      SampleAbandoned(*sample.cost);  // a function of the next context may have the same handle
    }
    sample.before = nullptr;
    sample.after = nullptr;
    Store(sample.overdue, 0U);
    Store(sample.step, SampleStep::kFree);
  }
  Store(pool.faults, 0U);
  Store(pool.context, CUcontext{nullptr});
}

}  // namespace

LaunchSample* BeginSample(LaunchState& state, const LaunchBook& book, LaunchCost& cost,
                          CUstream stream, std::uint64_t now_ns) {
  const CUcontext context = CurrentContext();
  SamplePool* const pool =
      context != nullptr && OfContext(stream, context) ? PoolOf(state, context) : nullptr;
  LaunchSample* const sample =
      pool != nullptr && Load(pool->faults) < kMostFaults ? ClaimSample(*pool) : nullptr;
  if (sample == nullptr) {
    SampleMissed(*book.flight, cost, now_ns);
    return nullptr;
  }
  if (!MakeEvents(*sample) || ALIQUOT_REAL(cuEventRecord)(sample->before, stream) != CUDA_SUCCESS) {
    Fault(*pool);
    SampleMissed(*book.flight, cost, now_ns);
    Store(sample->step, SampleStep::kFree);
    return nullptr;
  }
  sample->cost = &cost;
  sample->key = Load(cost.key);
  sample->taken_ns = now_ns;
  Store(sample->overdue, 0U);
  sample->mark_ns = SampleTaken(*book.flight, cost, now_ns);
  return sample;
}

void EndSample(const LaunchBook& book, LaunchSample& sample, CUstream stream, bool launched,
               std::uint64_t now_ns) {
  if (launched && ALIQUOT_REAL(cuEventRecord)(sample.after, stream) == CUDA_SUCCESS) {
    Store(sample.step, SampleStep::kUnderway);
    return;
  }
  SampleLost(*book.flight, *sample.cost, sample.mark_ns, now_ns);
  Store(sample.step, SampleStep::kFree);
}

void LookAtSamples(LaunchState& state, const LaunchBook& book, const ShareNow& share,
                   std::uint64_t now_ns) {
  const CUcontext context = CurrentContext();
  SamplePool* const pool = context == nullptr ? nullptr : FindPool(state, context);
  if (pool == nullptr) {
    OldestUnfinished(*book.flight, 0);
    return;
  }
  const RelaxedCaptureMode relaxed;
  std::uint64_t oldest = 0;
  for (LaunchSample& sample : pool->sample) {
    if (Load(sample.step) == SampleStep::kFree ||
        (Step(sample, SampleStep::kUnderway, SampleStep::kLooking) &&
         !Settle(book, share, *pool, sample, now_ns))) {
      continue;
    }
    const bool waited_for = Load(sample.step) != SampleStep::kFree && Load(sample.overdue) == 0;
    if (waited_for && (oldest == 0 || sample.taken_ns < oldest)) {
      oldest = sample.taken_ns;
    }
  }
  OldestUnfinished(*book.flight, oldest);
}

void SamplesOverdue(LaunchState& state) {
  const CUcontext context = CurrentContext();
  SamplePool* const pool = context == nullptr ? nullptr : FindPool(state, context);
  for (std::size_t i = 0; pool != nullptr && i < kSamplesPerContext; ++i) {
    if (Load(pool->sample[i].step) != SampleStep::kFree) {
      Store(pool->sample[i].overdue, 1U);
    }
  }
}

bool Capturing(LaunchState& state, CUstream stream) {
  if (__builtin_expect(Load(state.captures) == 0, 1)) {
    return false;
  }
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  // An error here is the driver's "not while another stream captures": then nothing is touched.
  return ALIQUOT_REAL(cuStreamIsCapturing)(stream, &status) != CUDA_SUCCESS ||
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void ForgetContext(CUcontext context) {
  LaunchState* const state = OwnLaunchState();
  SamplePool* const pool =
      state == nullptr || context == nullptr ? nullptr : FindPool(*state, context);
  if (pool != nullptr) {
    Clear(*pool);
  }
}

void ForgetDevice(CUdevice device) {
  LaunchState* const state = OwnLaunchState();
  for (std::size_t i = 0; state != nullptr && i < kSampledContexts; ++i) {
    SamplePool& pool = state->pool[i];
    if (Load(pool.context) != nullptr && Load(pool.device) == device) {
      Clear(pool);
    }
  }
}

}  // namespace aliquot::interposer
