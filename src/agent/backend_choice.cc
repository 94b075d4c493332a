// SPDX-License-Identifier: Apache-2.0
#include "agent/backend_choice.h"

#include <utility>

#include "agent/gpu/none_backend.h"
#include "agent/gpu/nvml_backend.h"
#include "agent/gpu/simulated_backend.h"

namespace aliquot::agent {
namespace {

std::unique_ptr<GpuBackend> Make(const Configuration& c, const Clock& clock,
                                 program::Problems& problems) {
  if (c.gpu.backend == "none") {
    return std::make_unique<NoneBackend>();
  }
  if (c.gpu.backend == "simulated") {
    auto simulated = SimulatedBackend::Create(c.gpu.profile, c.gpu.state, clock);
    if (!simulated.ok()) {
      problems.Add("gpu.profile", simulated.status().message());
      return nullptr;
    }
    return *std::move(simulated);
  }
  NvmlOptions options;
  options.driver_root = c.gpu.driver_root;
  options.device_root = c.gpu.device_root;
  options.library = c.gpu.library;
  return MakeNvmlBackend(std::move(options));
}

}  // namespace

std::unique_ptr<BackendSupervisor> ChooseBackend(const Configuration& configuration,
                                                 const Clock& clock, observability::Log& log,
                                                 program::Problems& problems) {
  auto backend = Make(configuration, clock, problems);
  return backend == nullptr ? nullptr
                            : std::make_unique<BackendSupervisor>(std::move(backend), clock, log);
}

}  // namespace aliquot::agent
