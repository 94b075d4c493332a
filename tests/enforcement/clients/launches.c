/* SPDX-License-Identifier: Apache-2.0
 * launches [NANOSECONDS]: one kernel by every function that launches, and prints for each what the
 * driver answered. Names are looked up, since some are in no header any more. */
#include <dlfcn.h>

#include "client.h"

static CUfunction function;
static CUstream stream;
static unsigned long long ns = 1000;
static const char* between = "";

static void* Named(const char* name) {
  void* const found = dlsym(RTLD_DEFAULT, name);
  if (found == NULL) {
    fprintf(stderr, "%s is not there\n", name);
    exit(1);
  }
  return found;
}

static void Say(const char* name, CUresult result) {
  printf("%s\"%s\": %d", between, name, result);
  between = ", ";
}

typedef CUresult (*LaunchKernel)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                                 unsigned, unsigned, CUstream, void**, void**);
typedef CUresult (*LaunchKernelEx)(const CUlaunchConfig*, CUfunction, void**, void**);
typedef CUresult (*LaunchCooperative)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                                      unsigned, unsigned, CUstream, void**);
typedef CUresult (*LaunchOnDevices)(CUDA_LAUNCH_PARAMS*, unsigned, unsigned);
typedef CUresult (*LaunchGraph)(CUgraphExec, CUstream);

static void Kernels(const char* plain, const char* ex, const char* cooperative, CUstream on) {
  void* arguments[] = {&ns};
  CUlaunchConfig config;
  memset(&config, 0, sizeof config);
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  config.hStream = on;
  Say(plain, ((LaunchKernel)Named(plain))(function, 1, 1, 1, 1, 1, 1, 0, on, arguments, NULL));
  Say(ex, ((LaunchKernelEx)Named(ex))(&config, function, arguments, NULL));
  Say(cooperative,
      ((LaunchCooperative)Named(cooperative))(function, 1, 1, 1, 1, 1, 1, 0, on, arguments));
}

static void Devices(void) {
  void* arguments[] = {&ns};
  CUDA_LAUNCH_PARAMS launch;
  memset(&launch, 0, sizeof launch);
  launch.function = function;
  launch.gridDimX = launch.gridDimY = launch.gridDimZ = 1;
  launch.blockDimX = launch.blockDimY = launch.blockDimZ = 1;
  launch.hStream = stream;
  launch.kernelParams = arguments;
  const char* const name = "cuLaunchCooperativeKernelMultiDevice";
  Say(name, ((LaunchOnDevices)Named(name))(&launch, 1, 0));
}

static void Old(void) {
  MUST(((CUresult(*)(CUfunction, int, int, int))Named("cuFuncSetBlockShape"))(function, 1, 1, 1));
  MUST(((CUresult(*)(CUfunction, unsigned))Named("cuParamSetSize"))(function, sizeof ns));
  MUST(((CUresult(*)(CUfunction, int, void*, unsigned))Named("cuParamSetv"))(function, 0, &ns,
                                                                             sizeof ns));
  Say("cuLaunch", ((CUresult(*)(CUfunction))Named("cuLaunch"))(function));
  Say("cuLaunchGrid", ((CUresult(*)(CUfunction, int, int))Named("cuLaunchGrid"))(function, 1, 1));
  Say("cuLaunchGridAsync", ((CUresult(*)(CUfunction, int, int, CUstream))Named(
                               "cuLaunchGridAsync"))(function, 1, 1, stream));
}

static void Graphs(void) {
  CUgraph graph;
  CUgraphExec exec;
  MUST(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  MUST(Spin(function, ns, stream));
  MUST(cuStreamEndCapture(stream, &graph));
  MUST(cuGraphInstantiate(&exec, graph, 0));
  Say("cuGraphLaunch", ((LaunchGraph)Named("cuGraphLaunch"))(exec, stream));
  Say("cuGraphLaunch_ptsz", ((LaunchGraph)Named("cuGraphLaunch_ptsz"))(exec, NULL));
  MUST(cuCtxSynchronize());
  MUST(cuGraphExecDestroy(exec));
  MUST(cuGraphDestroy(graph));
}

int main(int count, char** words) {
  ns = count > 1 ? strtoull(words[1], NULL, 10) : ns;
  UseDevice(0);
  function = SpinKernel();
  MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  printf("{");
  Kernels("cuLaunchKernel", "cuLaunchKernelEx", "cuLaunchCooperativeKernel", stream);
  Kernels("cuLaunchKernel_ptsz", "cuLaunchKernelEx_ptsz", "cuLaunchCooperativeKernel_ptsz", NULL);
  Devices();
  Old();
  Graphs();
  printf("}\n");
  return 0;
}
