// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/grant/identity.h"
#include "agent/grant/refusal.h"
#include "agent/identity/checkpoint_reader.h"
#include "agent/identity/match.h"
#include "agent/identity/node_pods.h"
#include "agent/identity/pod_resources.h"
#include "agent/identity/recalled_grants.h"
#include "agent/identity/starting_container.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "model/names.h"

namespace aliquot::agent {

struct ResolverOptions {
  std::string node;
  model::ResourceNames names;
  // How long a start waits for what the API server is about to tell: a pod just bound, a record
  // just stamped, a status just written. The kubelet asks again only after some 12 s, so that a
  // moment here is well spent; its own deadline for all of PreStartContainer is 30 s.
  std::chrono::milliseconds wait_for_news{2000};
  std::chrono::milliseconds per_call{2000};   // one question to PodResources
  std::chrono::milliseconds all_calls{8000};  // all of them in one start
  int max_gets = 4;                           // in one start
};

// Finds which container is about to start from the device IDs, which are all that the kubelet gives
// in PreStartContainer. The checkpoint (one read) names UID and container; the pods of this node
// say what that pod is; PodResources confirms. Never guesses by size or order: who cannot be told
// for certain is refused, and asked for again by the kubelet.
//
// The checkpoint alone does where PodResources cannot answer or, for an ordinary init container,
// does not list it: its entry is keyed by UID, was written before this start by the kubelet itself,
// and IDs belong to one pod at a time; that no other pod is named with the same IDs is checked.
//
// While the pods are not known (the agent restarted with the API server away), a container starts
// again that had this very grant before, if the checkpoint still gives these IDs to its UID and to
// it alone: of several containers of a pod that share them only the pod's status tells which
// starts.
//
// Thread-safe; starts do not wait for each other except to read the checkpoint. Blocks for at most
// wait_for_news + all_calls.
class Resolver {
 public:
  // All references must outlive it.
  Resolver(ResolverOptions options, CheckpointSource& checkpoint, PodView& pods,
           PodResources& pod_resources, const RecalledGrants& grants, const Clock& clock);

  // The reasons of a refusal: kSizeMismatch (no usable IDs), kWrongPod (of no pod of this node, or
  // of one that has ended), kIdsInUse (of two pods), kNotSynced (what would tell is not there yet).
  // A pod without a record is found all the same, with an empty allocation.
  Granted<ContainerIdentity> Resolve(const std::vector<std::string>& device_ids) EXCLUDES(mutex_);

 private:
  struct Question;
  struct Answer;

  Answer Look(Question& question) EXCLUDES(mutex_);
  Answer LookInCheckpoint(const Question& question, const Match& match) EXCLUDES(mutex_);
  Answer LookInListings(Question& question) EXCLUDES(mutex_);
  Answer AnswerFor(const Question& question, const NodePod& pod,
                   const std::vector<std::string>& containers) EXCLUDES(mutex_);
  Answer AnswerListed(const Question& question, const NodePod& pod) EXCLUDES(mutex_);
  Answer Recall(const Question& question) const;
  std::vector<const NodePod*> CandidatesFor(const Question& question) const;
  std::optional<Refusal> Contradicted(const Question& question, const ContainerIdentity& identity);
  std::optional<LastStart> LastOf(const Question& question, const NodePod& pod) const
      EXCLUDES(mutex_);
  void NoteAsked(const Question& question) EXCLUDES(mutex_);
  void Remember(const Question& question, const Answer& answer) EXCLUDES(mutex_);
  SteadyTime CallDeadline(const Question& question) const;

  const ResolverOptions options_;
  CheckpointSource& checkpoint_;
  PodView& pods_;
  PodResources& pod_resources_;
  const RecalledGrants& grants_;
  const Clock& clock_;
  const SteadyTime made_at_;
  // Where the next search without a checkpoint begins, so that the same few pods are not asked
  // about for ever.
  std::atomic<std::size_t> next_candidate_{0};
  mutable Mutex mutex_;
  // By grant name; only where several containers of a pod hold the same IDs.
  std::map<std::string, LastStart> last_starts_ GUARDED_BY(mutex_);
};

}  // namespace aliquot::agent
