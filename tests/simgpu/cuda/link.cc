// SPDX-License-Identifier: Apache-2.0
// Linking images: texts are put together, and what comes out is a text that a module is loaded
// from.
#include <fstream>
#include <sstream>
#include <string>
#include <unordered_set>

#include "tests/simgpu/cuda/driver.h"

struct CUlinkState_st {
  std::string text;
};

namespace aliquot::simgpu {
namespace {

std::unordered_set<CUlinkState>& Links() {
  static auto* const links = new std::unordered_set<CUlinkState>;
  return *links;
}

CUresult Create(CUlinkState* link) {
  if (link == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *link = new CUlinkState_st;
  Links().insert(*link);
  return CUDA_SUCCESS;
}

CUresult Append(CUlinkState link, CUjitInputType type, const std::string& text) {
  if (Links().count(link) == 0) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_CUBIN) {
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  if (text.find(".version") == std::string::npos) {
    return CUDA_ERROR_INVALID_PTX;
  }
  link->text += text.c_str();  // up to its end mark
  link->text += '\n';
  return CUDA_SUCCESS;
}

CUresult AppendFile(CUlinkState link, CUjitInputType type, const char* path) {
  std::ifstream in(path == nullptr ? "" : path, std::ios::binary);
  if (!in) {
    return CUDA_ERROR_FILE_NOT_FOUND;
  }
  std::ostringstream text;
  text << in.rdbuf();
  return Append(link, type, text.str());
}

CUresult AppendData(CUlinkState link, CUjitInputType type, const void* data, std::size_t size) {
  return data == nullptr ? CUDA_ERROR_INVALID_VALUE
                         : Append(link, type, std::string(static_cast<const char*>(data), size));
}

}  // namespace
}  // namespace aliquot::simgpu

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

CUresult cuLinkCreate(unsigned, CUjit_option*, void**, CUlinkState* link) {
  SIM_ENTER(kContext);
  return Create(link);
}

CUresult cuLinkCreate_v2(unsigned, CUjit_option*, void**, CUlinkState* link) {
  SIM_ENTER(kContext);
  return Create(link);
}

CUresult cuLinkAddData(CUlinkState link, CUjitInputType type, void* data, std::size_t size,
                       const char*, unsigned, CUjit_option*, void**) {
  SIM_ENTER(kContext);
  return AppendData(link, type, data, size);
}

CUresult cuLinkAddData_v2(CUlinkState link, CUjitInputType type, void* data, std::size_t size,
                          const char*, unsigned, CUjit_option*, void**) {
  SIM_ENTER(kContext);
  return AppendData(link, type, data, size);
}

CUresult cuLinkAddFile(CUlinkState link, CUjitInputType type, const char* path, unsigned,
                       CUjit_option*, void**) {
  SIM_ENTER(kContext);
  return AppendFile(link, type, path);
}

CUresult cuLinkAddFile_v2(CUlinkState link, CUjitInputType type, const char* path, unsigned,
                          CUjit_option*, void**) {
  SIM_ENTER(kContext);
  return AppendFile(link, type, path);
}

CUresult cuLinkComplete(CUlinkState link, void** image, std::size_t* size) {
  SIM_ENTER(kContext);
  if (Links().count(link) == 0) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (image == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *image = link->text.data();
  if (size != nullptr) {
    *size = link->text.size() + 1;
  }
  return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState link) {
  SIM_ENTER(kContext);
  if (Links().erase(link) == 0) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  delete link;
  return CUDA_SUCCESS;
}
