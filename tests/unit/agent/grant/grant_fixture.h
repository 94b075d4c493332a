// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "agent/grant/decision.h"
#include "agent/grant/file_system.h"
#include "agent/grant/grant_name.h"

// What the tests of the grant room share: a machine of four cards, pods of it, and a directory.
namespace aliquot::agent {

// A new directory, removed at the end of the object's life.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    // In memory where there is one, as the state directory is.
    const std::filesystem::path memory = "/dev/shm";
    const bool usable = ::access(memory.c_str(), W_OK | X_OK) == 0;
    std::string pattern =
        ((usable ? memory : std::filesystem::temp_directory_path()) / "aliquot-grant-XXXXXX")
            .string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw std::runtime_error("no temporary directory: " + pattern);
    }
    path_ = pattern;
  }
  ~TemporaryDirectory() { FileSystem().RemoveTree(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Makes plain files that say what node was asked for, so that no test needs CAP_MKNOD.
class PlainFiles : public FileSystem {
 public:
  int MakeNode(const std::string& path, const DeviceNode& node) const override {
    std::ostringstream text;
    text << "c " << node.major << ":" << node.minor << " " << std::oct << node.mode << std::dec
         << " " << node.uid << ":" << node.gid;
    return WriteNew(path, text.str(), 0600);
  }
};

inline std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void WriteAll(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline bool Exists(const std::string& path) {
  FileLook look;
  return FileSystem().Look(path, look) == 0;
}

// Sorted.
inline std::vector<std::string> Names(const std::string& directory) {
  std::vector<std::string> names;
  FileSystem().List(directory, names);
  std::sort(names.begin(), names.end());
  return names;
}

// Cards GPU-0 .. GPU-3 of 15360 MiB, minors 0 to 3, and nvidiactl.
inline Machine FourCards() {
  Machine machine;
  machine.driver = "535.104.05";
  for (int minor = 0; minor < 4; ++minor) {
    MachineCard card;
    card.card.uuid = "GPU-" + std::to_string(minor);
    card.card.minor = minor;
    card.card.mib = 15360;
    card.card.health = "ok";
    card.node = {"nvidia" + std::to_string(minor), 195, static_cast<unsigned>(minor), 0666, 0, 0};
    machine.cards.push_back(card);
  }
  machine.control = {{"nvidiactl", 195, 255, 0666, 0, 0},
                     {"nvidia-caps/nvidia-cap1", 237, 1, 0400, 0, 0}};
  return machine;
}

using Standing = std::map<std::string, CardStanding, std::less<>>;

inline Standing AllWell(const Machine& machine) {
  Standing standing;
  for (const MachineCard& each : machine.cards) {
    standing[each.card.uuid] = CardStanding();
  }
  return standing;
}

// "c<first>" and so on, `count` of them.
inline std::vector<std::string> Ids(int first, int count) {
  std::vector<std::string> ids;
  for (int i = first; i < first + count; ++i) {
    ids.push_back("c" + std::to_string(i));
  }
  return ids;
}

inline std::string CardText(const std::string& uuid, int core, std::int64_t mib) {
  return R"({"uuid":")" + uuid + R"(","core":)" + std::to_string(core) + R"(,"mib":)" +
         std::to_string(mib) + "}";
}

// The record of pod `uid` on node "n1".
inline std::string RecordText(const std::string& uid, const std::string& containers) {
  return R"({"v":1,"uid":")" + uid + R"(","node":"n1","containers":{)" + containers + "}}";
}

inline std::string ContainerText(const std::string& name, const std::string& cards) {
  return "\"" + name + R"(":{"cards":[)" + cards + R"(],"isolation":"auto"})";
}

// Container "main" of pod ml/<uid> with `core` percent and `mib` of one card.
inline ContainerIdentity Share(const std::string& uid, const std::string& uuid, int core,
                               std::int64_t mib) {
  ContainerIdentity identity;
  identity.key = {"ml", uid};
  identity.uid = uid;
  identity.container = "main";
  identity.core = core;
  identity.memory_units = mib / 256;
  identity.allocation = RecordText(uid, ContainerText("main", CardText(uuid, core, mib)));
  return identity;
}

// The facts of a machine, which must outlive them.
struct FactsOf {
  Machine machine = FourCards();
  Standing standing = AllWell(machine);
  LiveList live;

  GrantFacts operator()() const {
    GrantFacts facts;
    facts.node_name = "n1";
    facts.machine = &machine;
    facts.standing = &standing;
    facts.live = &live;
    return facts;
  }
};

}  // namespace aliquot::agent
