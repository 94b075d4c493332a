// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/driver_mirror.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <gtest/gtest.h>

#include "agent/grant/library_shelf.h"
#include "tests/unit/agent/grant/grant_fixture.h"

namespace aliquot::agent {
namespace {

#if defined(__aarch64__)
constexpr std::uint16_t kHere = EM_AARCH64;
constexpr char kTriplet[] = "aarch64-linux-gnu";
#else
constexpr std::uint16_t kHere = EM_X86_64;
constexpr char kTriplet[] = "x86_64-linux-gnu";
#endif

// The head of a shared object, and something to tell it by.
std::string Elf(const std::string& content, unsigned char bits = ELFCLASS64,
                std::uint16_t machine = kHere) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = bits;
  header.e_machine = machine;
  return std::string(reinterpret_cast<const char*>(&header), sizeof(header)) + content;
}

// Links between file systems, as where the host is mounted into the agent's container.
class OtherFileSystem final : public FileSystem {
 public:
  int Link(const std::string&, const std::string&) const override { return EXDEV; }
};

class DriverMirrorTest : public testing::Test {
 protected:
  void SetUp() override { Make("usr/lib/" + std::string(kTriplet)); }

  void Make(const std::string& directory) {
    ASSERT_EQ(files_.MakeDirectories(root_ + "/" + directory, 0755), 0);
  }
  void Put(const std::string& name, const std::string& bytes) {
    WriteAll(root_ + "/usr/lib/" + kTriplet + "/" + name, bytes);
  }
  void PutDriver(const std::string& version) {
    for (const char* library : {"libcuda", "libnvidia-ml", "libnvidia-ptxjitcompiler"}) {
      Put(std::string(library) + ".so." + version, Elf(library + version));
    }
  }
  std::string Problem(const std::string& loaded) {
    return FindDriverFiles(files_, root_, loaded).status().message();
  }

  TemporaryDirectory directory_;
  FileSystem files_;
  const std::string root_ = directory_ / "root";
  const std::string data_ = directory_ / "data";
};

TEST_F(DriverMirrorTest, LibrariesAndProgramsAreLinkedUnderTheNamesThatProgramsLoad) {
  PutDriver("535.104.05");
  Make("usr/bin");
  WriteAll(root_ + "/usr/bin/nvidia-smi", Elf("smi"));
  const DriverDelivery delivery = MirrorDriver(files_, root_, "535.104.05", data_);
  ASSERT_TRUE(delivery.usable()) << delivery.sentence;
  EXPECT_EQ(delivery.version, "535.104.05");
  EXPECT_EQ(delivery.directory, data_ + "/driver/535.104.05");
  EXPECT_EQ(Names(delivery.directory), (std::vector<std::string>{"bin", "lib64"}));
  EXPECT_EQ(Names(delivery.directory + "/lib64"),
            (std::vector<std::string>{
                "libcuda.so", "libcuda.so.1", "libcuda.so.535.104.05", "libnvidia-ml.so",
                "libnvidia-ml.so.1", "libnvidia-ml.so.535.104.05", "libnvidia-ptxjitcompiler.so",
                "libnvidia-ptxjitcompiler.so.1", "libnvidia-ptxjitcompiler.so.535.104.05"}));
  EXPECT_EQ(ReadAll(delivery.directory + "/lib64/libcuda.so.1"), Elf("libcuda535.104.05"));
  EXPECT_EQ(Names(delivery.directory + "/bin"), std::vector<std::string>{"nvidia-smi"});
  FileLook look;
  ASSERT_EQ(files_.Look(delivery.directory + "/lib64/libcuda.so.535.104.05", look), 0);
  EXPECT_EQ(look.links, 2u) << "no copy where a link does";
}

TEST_F(DriverMirrorTest, BetweenFileSystemsTheyAreCopied) {
  PutDriver("535.104.05");
  const DriverDelivery delivery = MirrorDriver(OtherFileSystem(), root_, "", data_);
  ASSERT_TRUE(delivery.usable()) << delivery.sentence;
  EXPECT_EQ(ReadAll(delivery.directory + "/lib64/libcuda.so.535.104.05"), Elf("libcuda535.104.05"));
  struct stat status {};
  ASSERT_EQ(::stat((delivery.directory + "/lib64/libcuda.so.1").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0755u);
  EXPECT_EQ(status.st_nlink, 1u);
}

TEST_F(DriverMirrorTest, TheLoadedVersionIsTakenOfSeveral) {
  PutDriver("535.104.05");
  PutDriver("550.54.14");
  EXPECT_EQ(FindDriverFiles(files_, root_, "535.104.05")->version, "535.104.05");
}

// As numbers: 1000 is more than 550.
TEST_F(DriverMirrorTest, WithoutALoadedVersionTheHighestIsTaken) {
  PutDriver("550.54.14");
  PutDriver("1000.1");
  EXPECT_EQ(FindDriverFiles(files_, root_, "")->version, "1000.1");
}

TEST_F(DriverMirrorTest, NoDriver) {
  EXPECT_EQ(Problem("535.104.05"),
            "no driver libraries lie below driver root " + root_ +
                "; install NVIDIA's driver there, or name its root in gpu.driverRoot");
  EXPECT_FALSE(MirrorDriver(files_, root_, "", data_).usable());
  EXPECT_FALSE(Exists(data_));
}

TEST_F(DriverMirrorTest, HalfADriver) {
  Put("libnvidia-ml.so.535.104.05", Elf("ml"));
  EXPECT_EQ(Problem(""),
            "the driver 535.104.05 below driver root " + root_ +
                " is not whole, as libcuda.so or libnvidia-ml.so of that version is missing; "
                "install all of it");
}

TEST_F(DriverMirrorTest, AnotherVersionThanTheLoadedOne) {
  PutDriver("550.54.14");
  EXPECT_EQ(Problem("535.104.05"),
            "the loaded driver is 535.104.05, and below driver root " + root_ +
                " lie the libraries of 550.54.14; install the same version, or reboot after an "
                "upgrade");
}

// 32-bit libraries, another architecture's, links, text files and names without a version.
TEST_F(DriverMirrorTest, OnlyThisMachinesLibrariesCount) {
  Put("libcuda.so.535.104.05", Elf("32", ELFCLASS32, EM_386));
  Put("libnvidia-ml.so.535.104.05", Elf("other", ELFCLASS64, EM_PPC64));
  Put("libcuda.so.1", Elf("no version"));
  Put("libnvidia-nvvm.so.535.104.05", "a text");
  ASSERT_EQ(files_.MakeLink("/etc/passwd",
                            root_ + "/usr/lib/" + kTriplet + "/libnvidia-cfg.so.535.104.05"),
            0);
  EXPECT_EQ(Problem("").substr(0, 19), "no driver libraries");
}

TEST_F(DriverMirrorTest, A32BitLibraryBesideDoesNotHideThe64BitOne) {
  PutDriver("535.104.05");
  WriteAll(root_ + "/usr/lib/libcuda.so.535.104.05", Elf("32", ELFCLASS32, EM_386));
  const auto found = FindDriverFiles(files_, root_, "");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->libraries[0].path, root_ + "/usr/lib/" + kTriplet + "/libcuda.so.535.104.05");
}

TEST_F(DriverMirrorTest, AWholeMirrorIsLeftAsItIs) {
  PutDriver("535.104.05");
  const std::string place = MirrorDriver(files_, root_, "", data_).directory;
  struct stat before {};
  ASSERT_EQ(::stat(place.c_str(), &before), 0);
  EXPECT_EQ(MirrorDriver(files_, root_, "", data_).directory, place);
  struct stat after {};
  ASSERT_EQ(::stat(place.c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST_F(DriverMirrorTest, ADamagedMirrorIsMadeAnew) {
  PutDriver("535.104.05");
  const std::string place = MirrorDriver(files_, root_, "", data_).directory;
  ASSERT_EQ(files_.RemoveFile(place + "/lib64/libcuda.so.1"), 0);
  ASSERT_TRUE(MirrorDriver(files_, root_, "", data_).usable());
  EXPECT_TRUE(Exists(place + "/lib64/libcuda.so.1"));
  EXPECT_EQ(Names(data_ + "/driver"), std::vector<std::string>{"535.104.05"});
}

// An agent that knows more libraries of the same driver, with pods running: they have the directory
// mounted, and look a library up in it when they first need it.
TEST_F(DriverMirrorTest, AMirrorThatContainersHaveMountedIsMendedInPlace) {
  PutDriver("535.104.05");
  const std::string place = MirrorDriver(files_, root_, "", data_).directory;
  const int mounted = ::open(place.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  ASSERT_GE(mounted, 0);
  struct stat before {};
  ASSERT_EQ(::fstatat(mounted, "lib64/libcuda.so.1", &before, 0), 0);
  Put("libnvidia-opencl.so.535.104.05", Elf("opencl"));
  ASSERT_EQ(MirrorDriver(files_, root_, "", data_).directory, place);
  struct stat after {};
  ASSERT_EQ(::fstatat(mounted, "lib64/libcuda.so.1", &after, 0), 0) << std::strerror(errno);
  EXPECT_EQ(after.st_ino, before.st_ino) << "what is whole is left alone";
  EXPECT_EQ(::fstatat(mounted, "lib64/libnvidia-opencl.so.1", &after, 0), 0);
  ::close(mounted);
}

TEST_F(DriverMirrorTest, AMirroredFileThatWasCutShortIsReplaced) {
  PutDriver("535.104.05");
  const std::string place = MirrorDriver(OtherFileSystem(), root_, "", data_).directory;
  WriteAll(place + "/lib64/libcuda.so.535.104.05", "short");
  ASSERT_TRUE(MirrorDriver(OtherFileSystem(), root_, "", data_).usable());
  EXPECT_EQ(ReadAll(place + "/lib64/libcuda.so.1"), Elf("libcuda535.104.05"));
}

TEST_F(DriverMirrorTest, ADataDirectoryThatCannotBeWrittenIsSaid) {
  PutDriver("535.104.05");
  WriteAll(data_, "a file");
  const DriverDelivery delivery = MirrorDriver(files_, root_, "", data_);
  EXPECT_EQ(delivery.sentence,
            data_ +
                "/driver is not written: mirroring driver 535.104.05: Not a directory; see "
                "that the agent may write there");
}

TEST_F(DriverMirrorTest, OldOnesGoWhenNoGrantNamesThem) {
  PutDriver("535.104.05");
  PutDriver("550.54.14");
  MirrorDriver(files_, root_, "535.104.05", data_);
  MirrorDriver(files_, root_, "550.54.14", data_);
  RemoveAllBut(files_, data_ + "/driver", {"550.54.14"});
  EXPECT_EQ(Names(data_ + "/driver"), std::vector<std::string>{"550.54.14"});
}

TEST(PublishLibrary, LiesUnderTheDigestOfItsContent) {
  const TemporaryDirectory directory;
  const FileSystem files;
  const StateLayout layout(directory / "state");
  ASSERT_EQ(files.MakeDirectory(layout.root(), 0711), 0);
  WriteAll(directory / "libaliquot.so", Elf("one"));
  const auto first = PublishLibrary(files, layout, directory / "libaliquot.so");
  ASSERT_TRUE(first.ok()) << first.status().ToString();
  EXPECT_EQ(first->version.size(), 16u);
  EXPECT_EQ(first->file, "libaliquot.so");
  EXPECT_EQ(ReadAll(first->directory + "/libaliquot.so"), Elf("one"));
  EXPECT_EQ(PublishLibrary(files, layout, directory / "libaliquot.so")->version, first->version);
  WriteAll(directory / "libaliquot.so", Elf("two"));
  const auto second = PublishLibrary(files, layout, directory / "libaliquot.so");
  ASSERT_TRUE(second.ok());
  EXPECT_NE(second->version, first->version);
  EXPECT_EQ(ReadAll(first->directory + "/libaliquot.so"), Elf("one")) << "it may be in use";
}

TEST(PublishLibrary, NoneConfiguredIsNoError) {
  const auto library = PublishLibrary(FileSystem(), StateLayout("/absent"), "");
  ASSERT_TRUE(library.ok());
  EXPECT_FALSE(library->available());
}

TEST(PublishLibrary, WhatIsNoSharedObjectIsRefused) {
  const TemporaryDirectory directory;
  WriteAll(directory / "text", "text");
  EXPECT_EQ(PublishLibrary(FileSystem(), StateLayout(directory.path()), directory / "text")
                .status()
                .message(),
            "the enforcement library " + (directory / "text") +
                " is not a shared object; name libaliquot.so, or leave the path empty");
  EXPECT_EQ(
      PublishLibrary(FileSystem(), StateLayout(directory.path()), directory / "absent")
          .status()
          .message(),
      "the enforcement library " + (directory / "absent") +
          " cannot be read: No such file or directory; name the file itself, not a link, or leave "
          "the path empty");
}

}  // namespace
}  // namespace aliquot::agent
