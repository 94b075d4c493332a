// SPDX-License-Identifier: Apache-2.0
// Libraries: images that belong to no context. Their functions come into being in the context that
// asks for them.
#include "tests/simgpu/cuda/library.h"

#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "tests/simgpu/cuda/module.h"

struct CUkern_st {
  CUlibrary library = nullptr;
  std::string name;
};

struct CUlib_st {
  std::string image;
  CUmodule model = nullptr;  // names and sizes
  std::map<CUcontext, CUmodule> modules;
  std::map<std::string, std::unique_ptr<CUkern_st>> kernels;
};

namespace aliquot::simgpu {
namespace {

std::unordered_map<CUlibrary, std::unique_ptr<CUlib_st>>& Libraries() {
  static auto* const libraries = new std::unordered_map<CUlibrary, std::unique_ptr<CUlib_st>>;
  return *libraries;
}

CUkernel KernelOf(const void* handle) {
  for (const auto& [library, object] : Libraries()) {
    for (const auto& [name, kernel] : object->kernels) {
      if (kernel.get() == handle) {
        return kernel.get();
      }
    }
  }
  return nullptr;
}

CUresult ModuleIn(const Entry& entry, CUlibrary library, CUcontext context, CUmodule* module) {
  CUmodule& own = library->modules[context];
  if (own == nullptr) {
    const CUresult answer = LoadImage(entry, context, library->image.c_str(), &own);
    if (answer != CUDA_SUCCESS) {
      return answer;
    }
  }
  *module = own;
  return CUDA_SUCCESS;
}

CUresult Load(const Entry& entry, CUlibrary* made, CUmodule model) {
  auto library = std::make_unique<CUlib_st>();
  library->image = model->image;
  library->model = model;
  for (const auto& [name, function] : model->functions) {
    auto kernel = std::make_unique<CUkern_st>();
    kernel->library = library.get();
    kernel->name = name;
    library->kernels[name] = std::move(kernel);
  }
  (void)entry;
  *made = library.get();
  Libraries()[*made] = std::move(library);
  return CUDA_SUCCESS;
}

CUresult FunctionIn(const Entry& entry, CUkernel kernel, CUfunction* function) {
  CUmodule module = nullptr;
  const CUresult answer = ModuleIn(entry, kernel->library, entry.context(), &module);
  if (answer == CUDA_SUCCESS) {
    *function = FunctionOf(module, kernel->name.c_str());
  }
  return answer;
}

}  // namespace

CUfunction FunctionOfLibraryKernel(const Entry& entry, CUfunction handle) {
  CUkernel const kernel = KernelOf(handle);
  CUfunction function = nullptr;
  if (kernel != nullptr) {
    FunctionIn(entry, kernel, &function);
  }
  return function;
}

}  // namespace aliquot::simgpu

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option*, void**, unsigned,
                           CUlibraryOption*, void**, unsigned) {
  SIM_ENTER(kDriver);
  CUmodule model = nullptr;
  if (library == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const CUresult answer = LoadImage(entry, nullptr, code, &model);
  return answer == CUDA_SUCCESS ? Load(entry, library, model) : answer;
}

CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* path, CUjit_option*, void**,
                               unsigned, CUlibraryOption*, void**, unsigned) {
  SIM_ENTER(kDriver);
  CUmodule model = nullptr;
  if (library == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const CUresult answer = LoadImageFile(entry, nullptr, path, &model);
  return answer == CUDA_SUCCESS ? Load(entry, library, model) : answer;
}

CUresult cuLibraryUnload(CUlibrary library) {
  SIM_ENTER(kDriver);
  const auto found = Libraries().find(library);
  if (found == Libraries().end()) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  for (const auto& [context, module] : library->modules) {
    Unload(entry, module);
  }
  Unload(entry, library->model);
  Libraries().erase(found);
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  SIM_ENTER(kDriver);
  if (kernel == nullptr || name == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (Libraries().count(library) == 0) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  const auto found = library->kernels.find(name);
  if (found == library->kernels.end()) {
    return CUDA_ERROR_NOT_FOUND;
  }
  *kernel = found->second.get();
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernelCount(unsigned* count, CUlibrary library) {
  SIM_ENTER(kDriver);
  if (count == nullptr || Libraries().count(library) == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *count = static_cast<unsigned>(library->kernels.size());
  return CUDA_SUCCESS;
}

CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned count, CUlibrary library) {
  SIM_ENTER(kDriver);
  if (kernels == nullptr || Libraries().count(library) == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (const auto& [name, kernel] : library->kernels) {
    if (count-- == 0) {
      break;
    }
    *kernels++ = kernel.get();
  }
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  SIM_ENTER(kContext);
  if (module == nullptr || Libraries().count(library) == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return ModuleIn(entry, library, entry.context(), module);
}

CUresult cuLibraryGetGlobal(CUdeviceptr* pointer, std::size_t* bytes, CUlibrary library,
                            const char* name) {
  SIM_ENTER(kContext);
  CUmodule module = nullptr;
  if (Libraries().count(library) == 0) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  const CUresult answer = ModuleIn(entry, library, entry.context(), &module);
  return answer == CUDA_SUCCESS ? GlobalOf(entry, module, name, pointer, bytes) : answer;
}

CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  SIM_ENTER(kContext);
  if (function == nullptr || KernelOf(kernel) == nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  return FunctionIn(entry, kernel, function);
}

CUresult cuKernelGetName(const char** name, CUkernel kernel) {
  SIM_ENTER(kDriver);
  if (name == nullptr || KernelOf(kernel) == nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  *name = kernel->name.c_str();
  return CUDA_SUCCESS;
}

CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel kernel) {
  SIM_ENTER(kDriver);
  if (library == nullptr || KernelOf(kernel) == nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  *library = kernel->library;
  return CUDA_SUCCESS;
}
