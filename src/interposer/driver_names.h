// SPDX-License-Identifier: Apache-2.0
#pragma once

// The files of NVIDIA's driver by their names. Pure.

namespace aliquot::interposer {

inline constexpr char kCudaSoname[] = "libcuda.so.1";
inline constexpr char kNvmlSoname[] = "libnvidia-ml.so.1";

// libcuda.so, libcuda.so.1, libcuda.so.535.261.03 and the like; a base name.
bool IsCudaFile(const char* base);
// The same, or libnvidia-ml.so*.
bool IsDriverFile(const char* base);
// A folder of link-time stand-ins (/usr/local/cuda/lib64/stubs): their functions only fail.
bool IsStubFolder(const char* folder);
// One that the loader searches of itself, without being told.
bool IsDefaultFolder(const char* folder);

// Where drivers are mounted that the loader does not search: device plugins, WSL, the GPU operator.
// Ends with null.
const char* DriverFolder(int index);

}  // namespace aliquot::interposer
