// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/convert_document.h"
#include "cli/convert_split.h"
#include "cli/yaml_json.h"
#include "cli/yaml_text.h"
#include "program/problems.h"
#include "program/yaml_document.h"

namespace aliquot::cli {
namespace {

Converted Convert(const std::string& text, const ConvertOptions& options = {}) {
  const auto converted = ConvertManifests(text, "f.yaml", options);
  EXPECT_TRUE(converted.ok()) << converted.status().message();
  return converted.ok() ? *converted : Converted();
}

std::string Refused(const std::string& text) {
  const auto converted = ConvertManifests(text, "f.yaml", {});
  EXPECT_FALSE(converted.ok()) << converted->text;
  return converted.status().message();
}

constexpr char kConfigMap[] =
    "# first\n---\n# a comment\nkind: ConfigMap\nmetadata: {name:   c}   # odd spacing\n"
    "data:\n  script: |\n    ---x\n    nvidia-smi\n";

constexpr char kDeployment[] =
    "---\n# the service\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n"
    "  replicas: 0x2\n  template:\n    spec:\n      containers:\n      - name: main\n"
    "        image: \"app:1\"\n        args: [\"yes\", 'on', off]\n        resources:\n"
    "          limits: {nvidia.com/gpu: 1, cpu: 500m}\n      volumes:\n      - name: v\n"
    "        configMap: {name: c, defaultMode: 0644}\n";

TEST(SplitDocuments, TheTextsTogetherAreTheFile) {
  const std::string text = std::string(kConfigMap) + kDeployment + "---\n--- # end\n";
  std::string joined;
  for (const SourceDocument& document : SplitDocuments(text)) {
    joined += document.text;
  }
  EXPECT_EQ(joined, text);
}

TEST(SplitDocuments, KnowsBlankDocumentsAndLines) {
  const auto documents = SplitDocuments("# only a comment\n---\n\nkind: A\n---\n--- {kind: B}\n");
  ASSERT_EQ(documents.size(), 4u);
  EXPECT_TRUE(documents[0].blank);
  EXPECT_FALSE(documents[1].blank);
  EXPECT_EQ(documents[1].line, 4);
  EXPECT_EQ(documents[1].head, "---\n\n");
  EXPECT_TRUE(documents[2].blank);
  EXPECT_FALSE(documents[3].blank);
  EXPECT_TRUE(documents[3].json);
}

TEST(Convert, WhatAsksForNoGpuComesOutByteForByte) {
  const std::string ours =
      "kind: Pod\nspec: {containers: [{name: m, resources: {limits: "
      "{tencent.com/vcuda-core: 20, tencent.com/vcuda-memory: 4}}}]}\n";
  for (const std::string& text :
       {std::string(kConfigMap), ours, std::string(""), std::string("a: &x 1\nb: *x\n"),
        std::string("---\r\na: 1\r\n")}) {
    EXPECT_EQ(Convert(text).text, text);
  }
  EXPECT_EQ(Convert(ours).notes,
            std::vector<std::string>{
                "f.yaml:1: asks for tencent.com/vcuda-* already and needs no change"});
}

TEST(Convert, ADocumentThatChangesKeepsOrderSpellingAndItsHead) {
  const Converted converted = Convert(std::string(kConfigMap) + kDeployment);
  EXPECT_EQ(
      converted.text,
      std::string(kConfigMap) +
          "---\n# the service\n"
          "# aliquotctl convert: Deployment \"web\": nvidia.com/gpu becomes whole GPUs; where "
          "the GPUs were time-sliced, convert with --share CORE:MIB instead\n"
          "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n"
          "  replicas: 0x2\n  template:\n    spec:\n      containers:\n      - name: main\n"
          "        image: \"app:1\"\n        args:\n        - \"yes\"\n        - \"on\"\n"
          "        - off\n        resources:\n          limits:\n            cpu: 500m\n"
          "            tencent.com/vcuda-core: \"100\"\n      volumes:\n      - name: v\n"
          "        configMap:\n          name: c\n          defaultMode: 0644\n");
  ASSERT_EQ(converted.notes.size(), 1u);
  EXPECT_EQ(converted.notes[0].rfind("f.yaml:12: Deployment \"web\": ", 0), 0u)
      << converted.notes[0];
}

TEST(Convert, ConvertingTwiceIsConvertingOnce) {
  const std::string once = Convert(std::string(kConfigMap) + kDeployment).text;
  EXPECT_EQ(Convert(once).text, once);
}

TEST(Convert, JsonKeepsItsOrder) {
  const std::string text =
      R"({"kind":"Pod","metadata":{"name":"p"},"apiVersion":"v1","spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":"1"}},"name":"m"}]}})";
  const Converted converted = Convert(text);
  EXPECT_EQ(
      nlohmann::ordered_json::parse(converted.text).dump(),
      R"({"kind":"Pod","metadata":{"name":"p"},"apiVersion":"v1","spec":{"containers":[{"resources":{"limits":{"tencent.com/vcuda-core":"100"}},"name":"m"}]}})");
  EXPECT_EQ(Convert(converted.text).text, converted.text);
}

TEST(Convert, EveryHolderOfAPodTemplateCounts) {
  const std::string pod = "{containers: [{name: m, resources: {limits: {nvidia.com/gpu: 1}}}]}";
  for (const std::string& text :
       {"kind: Pod\nspec: " + pod + "\n",
        "kind: CronJob\nspec: {jobTemplate: {spec: {template: {spec: " + pod + "}}}}\n",
        "kind: List\nitems:\n- kind: Pod\n  spec: " + pod + "\n",
        "kind: PyTorchJob\nspec: {pytorchReplicaSpecs: {Worker: {template: {spec: " + pod +
            "}}}}\n"}) {
    const std::string converted = Convert(text).text;
    EXPECT_NE(converted.find("tencent.com/vcuda-core: \"100\""), std::string::npos) << converted;
    EXPECT_EQ(converted.find("nvidia.com/gpu: 1"), std::string::npos) << converted;
  }
}

TEST(Convert, WhatIsLeftAboveAndBesideAConvertedTemplateIsSaidOnce) {
  const std::string gpu =
      "{spec: {schedulerName: kai-scheduler, containers: [{name: m, resources: {limits: "
      "{nvidia.com/gpu: 1}}}]}}";
  const Converted converted = Convert(
      "kind: RayCluster\nmetadata: {name: r, labels: {kai.scheduler/queue: q}}\nspec:\n"
      "  head: {template: {spec: {schedulerName: kai-scheduler, containers: [{name: h}]}}}\n"
      "  groups: [{template: " +
      gpu + "}, {template: " + gpu + "}]\n");
  EXPECT_THAT(converted.notes,
              testing::ElementsAre(
                  testing::HasSubstr("schedulerName kai-scheduler is removed"),
                  testing::HasSubstr("label kai.scheduler/queue stays and has no effect"),
                  testing::HasSubstr("schedulerName kai-scheduler stays on a pod that asks for no "
                                     "GPU")));
}

TEST(Convert, ATemplateWithoutMetadataGetsTheAnnotation) {
  const std::string converted =
      Convert(
          "kind: Job\nspec: {template: {spec: {containers: [{name: m, resources: {limits: "
          "{nvidia.com/gpu: 2, nvidia.com/gpumem: 512, nvidia.com/gpucores: 10}}}]}}}\n")
          .text;
  EXPECT_NE(
      converted.find("    metadata:\n      annotations:\n        aliquot.io/gpu-count: \"2\"\n"),
      std::string::npos)
      << converted;
}

TEST(Convert, EveryProblemIsALineWithItsPlaceAndNothingIsConverted) {
  EXPECT_EQ(Refused("kind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: m, resources: "
                    "{limits: {nvidia.com/gpu: x}}}]}\n---\n# c\nkind: Pod\nmetadata: {name: b}\n"
                    "spec: {containers: [{name: m, resources: {limits: {nvidia.com/gpu: 1, "
                    "tencent.com/vcuda-core: 1}}}]}\n"),
            "f.yaml:1: Pod \"a\": container \"m\": nvidia.com/gpu is x; give a whole number\n"
            "f.yaml:6: Pod \"b\": container \"m\" asks for a GPU in Aliquot's way "
            "(tencent.com/vcuda-*) and in another at once; keep one of them");
  EXPECT_EQ(Refused("a: 1\n---\nb: &x nvidia.com/gpu\n"),
            "f.yaml:3: an anchor (&name) is not accepted; write the value out where it is needed");
  EXPECT_EQ(Refused("{\"nvidia.com/gpu\": "),
            "f.yaml:1: this is not readable as JSON; give one whole document");
  EXPECT_EQ(Refused("{\"nvidia.com/gpu\":" + std::string(100000, '[')),
            "f.yaml:1: nested deeper than 64 levels; no manifest is");
}

TEST(Convert, TheOtherFormatOnDemand) {
  ConvertOptions options;
  options.output = "json";
  EXPECT_EQ(nlohmann::json::parse(Convert("kind: A\nb: [1, \"2\"]\n", options).text),
            nlohmann::json::parse(R"({"kind":"A","b":[1,"2"]})"));
  EXPECT_EQ(Convert("# comment\n---\nmode: 0644\nflag: off\nnone: ~\nhex: 0x10\n", options).text,
            "{\n  \"mode\": 420,\n  \"flag\": false,\n  \"none\": null,\n  \"hex\": 16\n}\n");
  options.output = "yaml";
  EXPECT_EQ(Convert(R"({"kind":"A","b":[1,"2",{"c":null}]})", options).text,
            "---\nkind: A\nb:\n- 1\n- \"2\"\n- c: null\n");
}

// What is read again must be equal.
TEST(YamlText, TextsOfAnyKindComeBack) {
  nlohmann::ordered_json document;
  for (const char* text :
       {"",           " ",       "a b",       "0.5",  "true",   "No",         "null",
        "~",          "a: b",    "a #b",      "- a",  "line\n", "one\ntwo\n", "one\n\n  two",
        " lead\nx\n", "end\n\n", "tab\there", "\x01", "ü",      "'",          "\"\\",
        "{a}",        "*x",      "&x",        "!x",   "%x",     "@x",         "x:",
        "/a:b",       "0x1F",    "012",       "1e3",  "=",      "\n"}) {
    document["list"].push_back(text);
    document["map"][text] = text;
  }
  document["empty"] = {{"map", nlohmann::ordered_json::object()},
                       {"list", nlohmann::ordered_json::array()}};
  document["nested"] = {{{{"a", 1}}, {1, {2, "3"}}}};
  const std::string text = YamlText(YamlOf(document));
  program::Problems problems;
  const auto again = program::ParseYaml(text, "t", problems);
  ASSERT_TRUE(again) << problems.lines().front() << "\n" << text;
  EXPECT_EQ(ToJson(*again), document.dump()) << text;
}

}  // namespace
}  // namespace aliquot::cli
