// SPDX-License-Identifier: Apache-2.0
#include "tests/simgpu/cuda/module.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "tests/simgpu/cuda/memory.h"

namespace aliquot::simgpu {
namespace {

// Bytes of a PTX type such as u64, f32, b8.
std::size_t BytesOf(const std::string& type) { return std::stoul(type.substr(1)) / 8; }

// `.param .align 8 .b8 name[24]` is 24 bytes, `.param .u64 name` is 8.
std::vector<std::size_t> ParameterSizes(const std::string& list) {
  static const std::regex parameter(
      R"(\.param\s+(?:\.align\s+\d+\s+)?\.([usfb]\d+)\s+(?:\.ptr\S*\s+(?:\.\S+\s+)*)?[\w$%]+(?:\[(\d+)\])?)");
  std::vector<std::size_t> sizes;
  for (std::sregex_iterator at(list.begin(), list.end(), parameter), end; at != end; ++at) {
    const std::string count = (*at)[2];
    sizes.push_back(BytesOf((*at)[1]) * (count.empty() ? 1 : std::stoul(count)));
  }
  return sizes;
}

void ReadEntries(const std::string& text, CUmodule module) {
  static const std::regex entry(R"(\.entry\s+([\w$]+)\s*(?:\(([^)]*)\))?)");
  for (std::sregex_iterator at(text.begin(), text.end(), entry), end; at != end; ++at) {
    auto function = std::make_unique<CUfunc_st>();
    function->module = module;
    function->name = (*at)[1];
    function->parameters = ParameterSizes((*at)[2]);
    function->spins = function->name == "spin" && !function->parameters.empty() &&
                      function->parameters[0] == sizeof(std::uint64_t);
    module->functions[function->name] = std::move(function);
  }
}

void ReadGlobals(const std::string& text, CUmodule module) {
  static const std::regex global(
      R"(\.visible\s+\.(?:global|const)\s+(?:\.align\s+\d+\s+)?\.([usfb]\d+)\s+([\w$]+)(?:\[(\d+)\])?)");
  for (std::sregex_iterator at(text.begin(), text.end(), global), end; at != end; ++at) {
    const std::string count = (*at)[3];
    module->globals[(*at)[2]] = BytesOf((*at)[1]) * (count.empty() ? 1 : std::stoul(count));
  }
}

}  // namespace

CUresult LoadImage(const Entry& entry, CUcontext context, const void* image, CUmodule* made) {
  if (image == nullptr || made == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const std::string text = static_cast<const char*>(image);
  if (text.find(".version") == std::string::npos || text.find(".target") == std::string::npos) {
    return CUDA_ERROR_INVALID_IMAGE;
  }
  auto* const module = new CUmod_st;
  module->context = context;
  module->image = text;
  ReadEntries(text, module);
  ReadGlobals(text, module);
  for (const auto& [name, function] : module->functions) {
    entry.driver().functions.insert(function.get());
  }
  entry.driver().modules.insert(module);
  *made = module;
  return CUDA_SUCCESS;
}

CUresult LoadImageFile(const Entry& entry, CUcontext context, const char* path, CUmodule* module) {
  std::ifstream in(path == nullptr ? "" : path, std::ios::binary);
  if (!in) {
    return CUDA_ERROR_FILE_NOT_FOUND;
  }
  std::ostringstream text;
  text << in.rdbuf();
  return LoadImage(entry, context, text.str().c_str(), module);
}

CUfunction FunctionOf(CUmodule module, const char* name) {
  const auto found = module->functions.find(name);
  return found == module->functions.end() ? nullptr : found->second.get();
}

CUresult GlobalOf(const Entry& entry, CUmodule module, const char* name, CUdeviceptr* pointer,
                  std::size_t* bytes) {
  const auto found = module->globals.find(name == nullptr ? "" : name);
  if (found == module->globals.end()) {
    return CUDA_ERROR_NOT_FOUND;
  }
  CUdeviceptr& place = module->global_places[found->first];
  if (place == 0) {
    if (const CUresult answer = AllocateDevice(entry, found->second, &place);
        answer != CUDA_SUCCESS) {
      return answer;
    }
  }
  if (pointer != nullptr) {
    *pointer = place;
  }
  if (bytes != nullptr) {
    *bytes = found->second;
  }
  return CUDA_SUCCESS;
}

// The objects stay, as those of contexts do.
void Unload(const Entry& entry, CUmodule module) {
  for (const auto& [name, place] : module->global_places) {
    FreeDevice(entry, place);
  }
  for (const auto& [name, function] : module->functions) {
    entry.driver().functions.erase(function.get());
  }
  entry.driver().modules.erase(module);
}

}  // namespace aliquot::simgpu

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  SIM_ENTER(kContext);
  return LoadImage(entry, entry.context(), image, module);
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*, void**) {
  SIM_ENTER(kContext);
  return LoadImage(entry, entry.context(), image, module);
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  SIM_ENTER(kContext);
  return LoadImage(entry, entry.context(), image, module);
}

CUresult cuModuleLoad(CUmodule* module, const char* path) {
  SIM_ENTER(kContext);
  return LoadImageFile(entry, entry.context(), path, module);
}

CUresult cuModuleUnload(CUmodule module) {
  SIM_ENTER(kContext);
  if (entry.driver().modules.count(module) == 0) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  Unload(entry, module);
  return CUDA_SUCCESS;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  SIM_ENTER(kDriver);
  if (mode == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *mode = CU_MODULE_EAGER_LOADING;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  SIM_ENTER(kContext);
  if (function == nullptr || name == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (entry.driver().modules.count(module) == 0) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  *function = aliquot::simgpu::FunctionOf(module, name);
  return *function == nullptr ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}

CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule module) {
  SIM_ENTER(kContext);
  if (count == nullptr || entry.driver().modules.count(module) == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *count = static_cast<unsigned>(module->functions.size());
  return CUDA_SUCCESS;
}

CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned count, CUmodule module) {
  SIM_ENTER(kContext);
  if (functions == nullptr || entry.driver().modules.count(module) == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (const auto& [name, function] : module->functions) {
    if (count-- == 0) {
      break;
    }
    *functions++ = function.get();
  }
  return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* pointer, std::size_t* bytes, CUmodule module,
                              const char* name) {
  SIM_ENTER(kContext);
  if (entry.driver().modules.count(module) == 0) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  return GlobalOf(entry, module, name, pointer, bytes);
}
