// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace aliquot {

// A file of tests/data/recorded; see its README.
inline std::string Recorded(const std::string& name) {
  const std::string path = std::string(ALIQUOT_SOURCE_DIR) + "/tests/data/recorded/" + name;
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::vector<std::string> RecordedLines(const std::string& name) {
  std::istringstream text(Recorded(name));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    if (!line.empty()) {
      lines.push_back(line);
    }
  }
  return lines;
}

}  // namespace aliquot
