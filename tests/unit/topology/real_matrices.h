// SPDX-License-Identifier: Apache-2.0
#pragma once

// Link matrices of real machines, as `nvidia-smi topo -m` printed them: the upper triangle, row by
// row, and the NUMA node of each card. Facts copied from the public sources named beside each.

#include <string_view>
#include <vector>

namespace aliquot::topology {

struct RealMatrix {
  std::string_view name;
  std::string_view links;  // separated by commas
  std::vector<int> numa;
};

inline const std::vector<RealMatrix>& RealMatrices() {
  static const std::vector<RealMatrix> matrices = {
      // 8x V100-SXM2, hybrid cube mesh (OneFlow DLPerf benchmark report).
      {"DGX-1V",
       "NV1,NV1,NV2,NV2,SYS,SYS,SYS,"
       "NV2,NV1,SYS,NV2,SYS,SYS,"
       "NV2,SYS,SYS,NV1,SYS,"
       "SYS,SYS,SYS,NV1,"
       "NV1,NV1,NV2,"
       "NV2,NV1,"
       "NV2",
       {0, 0, 0, 0, 1, 1, 1, 1}},
      // HGX A100, two EPYC 7763 in NPS4 (public HPC-centre guide).
      {"HGX A100 NPS4",
       "NV12,NV12,NV12,NV12,NV12,NV12,NV12,"
       "NV12,NV12,NV12,NV12,NV12,NV12,"
       "NV12,NV12,NV12,NV12,NV12,"
       "NV12,NV12,NV12,NV12,"
       "NV12,NV12,NV12,"
       "NV12,NV12,"
       "NV12",
       {3, 3, 1, 1, 7, 7, 5, 5}},
      // 8x H100 PCIe, NVLink bridges, one across NUMA nodes (public project note).
      {"H100 PCIe with bridges",
       "NODE,NODE,SYS,SYS,NV12,SYS,SYS,"
       "NV12,SYS,SYS,SYS,SYS,SYS,"
       "SYS,SYS,SYS,SYS,SYS,"
       "NV12,NODE,NODE,NODE,"
       "NODE,NODE,NODE,"
       "NODE,NODE,"
       "NV12",
       {0, 0, 0, 1, 1, 1, 1, 1}},
      // 8x RTX 4090, every pair SYS (NVIDIA/go-gpuallocator issue 17).
      {"RTX 4090 all SYS",
       "SYS,SYS,SYS,SYS,SYS,SYS,SYS,"
       "SYS,SYS,SYS,SYS,SYS,SYS,"
       "SYS,SYS,SYS,SYS,SYS,"
       "SYS,SYS,SYS,SYS,"
       "SYS,SYS,SYS,"
       "SYS,SYS,"
       "SYS",
       {0, 0, 0, 0, 1, 1, 1, 1}},
      // 6x RTX PRO 6000, PIX pairs (Omni-Infinity validation document).
      {"RTX PRO 6000 PIX pairs",
       "PIX,NODE,NODE,SYS,SYS,"
       "NODE,NODE,SYS,SYS,"
       "PIX,SYS,SYS,"
       "SYS,SYS,"
       "PIX",
       {0, 0, 0, 0, 1, 1}},
  };
  return matrices;
}

}  // namespace aliquot::topology
