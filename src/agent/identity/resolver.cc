// SPDX-License-Identifier: Apache-2.0
#include "agent/identity/resolver.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "agent/grant/grant_name.h"
#include "agent/identity/listing_search.h"
#include "agent/identity/sentences.h"

namespace aliquot::agent {
namespace {

// Beyond this many, those of pods that are gone are dropped.
constexpr std::size_t kManyLastStarts = 256;

ContainerIdentity IdentityOf(const NodePod& pod, const model::GpuContainer& container,
                             const model::ResourceNames& names) {
  const auto text = [&](std::string_view annotation) {
    const std::string* value = pod.pod.Annotation(annotation);
    return value == nullptr ? std::string() : *value;
  };
  const SpecAmounts amounts = AmountsOf(container, names);
  ContainerIdentity identity;
  identity.key = pod.pod.key;
  identity.uid = pod.pod.uid;
  identity.container = container.name;
  identity.kind = container.kind;
  identity.index = container.index;
  identity.core =
      static_cast<int>(std::min<std::int64_t>(amounts.core, std::numeric_limits<int>::max()));
  identity.whole = amounts.core >= model::kWholeCardCore;
  identity.memory_units = amounts.memory_units;
  identity.deleting = pod.pod.deleting;
  identity.allocation = text(model::kAllocationAnnotation);
  identity.signature = text(model::kAllocationSignatureAnnotation);
  return identity;
}

std::optional<Refusal> Unusable(const std::vector<std::string>& ids) {
  if (ids.empty()) return NoIds();
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice != ids.end()) return IdTwice(*twice);
  return std::nullopt;
}

}  // namespace

// One start: what was asked, and what does not change while it waits for news.
struct Resolver::Question {
  std::vector<std::string> ids;  // sorted, each once
  std::string name;              // of the grant
  SteadyTime asked_at;
  Result<std::shared_ptr<const Checkpoint>> checkpoint;
  PodsSnapshot pods;  // the latest
  ListingSearch search;
};

// What is known so far. Not final: later news may change it; without any it holds.
struct Resolver::Answer {
  std::optional<ContainerIdentity> identity;
  Refusal refusal;  // when there is no identity
  bool is_final = true;
  bool confirmed = false;                          // by PodResources
  std::optional<ContainerStatus> shared_status{};  // when others of the pod have the same IDs

  static Answer No(Refusal refusal, bool is_final) {
    return {std::nullopt, std::move(refusal), is_final};
  }
};

Resolver::Resolver(ResolverOptions options, CheckpointSource& checkpoint, PodView& pods,
                   PodResources& pod_resources, const RecalledGrants& grants, const Clock& clock)
    : options_(std::move(options)),
      checkpoint_(checkpoint),
      pods_(pods),
      pod_resources_(pod_resources),
      grants_(grants),
      clock_(clock),
      made_at_(clock.SteadyNow()) {}

Granted<ContainerIdentity> Resolver::Resolve(const std::vector<std::string>& device_ids) {
  std::vector<std::string> ids = device_ids;
  std::sort(ids.begin(), ids.end());
  if (std::optional<Refusal> refusal = Unusable(ids)) return *std::move(refusal);
  Question question{ids,
                    GrantName(ids),
                    clock_.SteadyNow(),
                    checkpoint_.Read(),
                    pods_.Snapshot(),
                    ListingSearch(ids, options_.names, pod_resources_, options_.max_gets)};
  const SteadyTime news_until = question.asked_at + options_.wait_for_news;
  Answer answer = Look(question);
  while (!answer.is_final && clock_.SteadyNow() < news_until) {
    pods_.WaitForNews(question.pods.revision, news_until);
    question.pods = pods_.Snapshot();
    answer = Look(question);
  }
  if (!answer.identity) {
    NoteAsked(question);
    return std::move(answer.refusal);
  }
  if (!answer.confirmed) {
    if (std::optional<Refusal> refusal = Contradicted(question, *answer.identity)) {
      return *std::move(refusal);
    }
  }
  Remember(question, answer);
  return *std::move(answer.identity);
}

Resolver::Answer Resolver::Look(Question& question) {
  if (!question.pods.synced) return Recall(question);
  if (!question.checkpoint.ok()) return LookInListings(question);
  const Match match = MatchCheckpoint(question.ids, **question.checkpoint, question.pods);
  // A kubelet that keeps its allocations elsewhere, or in another form.
  if (match.kind == Match::Kind::kNobody) return LookInListings(question);
  return LookInCheckpoint(question, match);
}

Resolver::Answer Resolver::LookInCheckpoint(const Question& question, const Match& match) {
  switch (match.kind) {
    case Match::Kind::kPod:
      return AnswerFor(question, *match.pods.front(), match.containers);
    case Match::Kind::kSeveral:
      return Answer::No(IdsOfSeveral(match), true);
    case Match::Kind::kFinished:
      return Answer::No(PodHasEnded(*match.pods.front()), true);
    case Match::Kind::kNotShown:
      return Answer::No(PodNotShown(match), false);
    case Match::Kind::kNobody:
      break;
  }
  return Answer::No(NobodysIds(question.ids, options_.node), false);
}

Resolver::Answer Resolver::AnswerFor(const Question& question, const NodePod& pod,
                                     const std::vector<std::string>& containers) {
  if (containers.empty()) {
    return Answer::No(NotAContainerOf(pod, options_.names.core), true);
  }
  const StartingContainer starting =
      FindStarting(pod, containers, LastOf(question, pod), clock_.SteadyNow(), question.pods.heard);
  if (starting.trust == StartingContainer::Trust::kUncertain) {
    return Answer::No(StatusIsBehind(pod, starting.container), false);
  }
  Answer answer;
  answer.identity = IdentityOf(pod, *pod.Container(starting.container), options_.names);
  // A pod that another scheduler bound gets its record a moment later.
  answer.is_final =
      starting.trust == StartingContainer::Trust::kCertain && !answer.identity->allocation.empty();
  if (containers.size() > 1) answer.shared_status = pod.StatusOf(starting.container);
  return answer;
}

// The pods are not known: only a container that had this very grant before starts, and only when
// the checkpoint still gives its IDs to it and to no other pod.
Resolver::Answer Resolver::Recall(const Question& question) const {
  Answer no = Answer::No(PodsNotKnown(options_.node), false);
  const std::optional<ContainerIdentity> before = grants_.Find(question.name);
  if (!before || !question.checkpoint.ok()) return no;
  bool named = false;
  std::size_t containers = 0;
  for (const CheckpointEntry* entry : (*question.checkpoint)->WithIds(question.ids)) {
    if (entry->uid != before->uid) return no;
    named = named || entry->container == before->container;
    ++containers;
  }
  // Of several that share the IDs only the pod's status tells which starts.
  if (!named || containers > 1) return no;
  Answer answer;
  answer.identity = *before;
  answer.identity->recalled = true;
  answer.identity->deleting = false;
  answer.is_final = false;
  return answer;
}

// Does PodResources say otherwise? Its silence, whatever the reason, changes nothing: see the
// header.
std::optional<Refusal> Resolver::Contradicted(const Question& question,
                                              const ContainerIdentity& identity) {
  if (identity.kind == model::ContainerKind::kInit) return std::nullopt;  // never listed
  const Result<PodResourcesPod> listed = pod_resources_.Get(identity.key, CallDeadline(question));
  if (!listed.ok() || !(listed->key == identity.key)) return std::nullopt;
  for (const PodResourcesContainer& container : listed->containers) {
    if (container.name != identity.container) continue;
    std::vector<std::string> ids = container.device_ids;
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    if (ids == question.ids) return std::nullopt;
  }
  return ListedOtherwise(identity);
}

std::optional<LastStart> Resolver::LastOf(const Question& question, const NodePod& pod) const {
  const std::optional<ContainerIdentity> filled = grants_.Find(question.name);
  const bool ours = filled && filled->uid == pod.pod.uid;
  {
    MutexLock lock(mutex_);
    const auto found = last_starts_.find(question.name);
    if (found != last_starts_.end() && found->second.uid == pod.pod.uid) {
      LastStart last = found->second;
      last.granted = ours && filled->container == last.container;
      return last;
    }
  }
  if (!ours) return std::nullopt;
  // By the agent before this one.
  return LastStart{filled->uid, filled->container, std::nullopt, made_at_, true, true};
}

void Resolver::NoteAsked(const Question& question) {
  MutexLock lock(mutex_);
  const auto found = last_starts_.find(question.name);
  if (found != last_starts_.end()) found->second.asked_since = true;
}

void Resolver::Remember(const Question& question, const Answer& answer) {
  if (!answer.shared_status) return;
  MutexLock lock(mutex_);
  if (last_starts_.size() >= kManyLastStarts) {
    for (auto start = last_starts_.begin(); start != last_starts_.end();) {
      const bool gone = question.pods.Find(start->second.uid) == nullptr;
      start = gone ? last_starts_.erase(start) : std::next(start);
    }
  }
  last_starts_[question.name] = {answer.identity->uid,
                                 answer.identity->container,
                                 *answer.shared_status,
                                 clock_.SteadyNow(),
                                 true,
                                 false};
}

SteadyTime Resolver::CallDeadline(const Question& question) const {
  return std::min(clock_.SteadyNow() + options_.per_call,
                  question.asked_at + options_.wait_for_news + options_.all_calls);
}

// Without the checkpoint. PodResources gives no UID, so only pods count that the kubelet has
// acknowledged under their UID, and only those that are still there after the whole wait: the name
// that it lists them by is then theirs, and not a later pod's.
Resolver::Answer Resolver::LookInListings(Question& question) {
  ListingSearch& search = question.search;
  if (!search.uid().empty()) {
    const NodePod* found = question.pods.Find(search.uid());
    if (found != nullptr) return AnswerListed(question, *found);
  }
  const int gets_before = search.gets();
  const NodePod* found =
      search.Find(CandidatesFor(question), [&] { return CallDeadline(question); });
  if (found != nullptr) {
    next_candidate_ = 0;
    return AnswerListed(question, *found);
  }
  next_candidate_ += static_cast<std::size_t>(search.gets() - gets_before);
  const Refusal refusal = question.checkpoint.ok()
                              ? NobodysIds(question.ids, options_.node)
                              : NothingTells(question.checkpoint.status(), options_.node);
  return Answer::No(refusal, search.exhausted());
}

Resolver::Answer Resolver::AnswerListed(const Question& question, const NodePod& pod) {
  const std::vector<std::string>& containers = question.search.containers();
  if (containers.size() > 1) return Answer::No(SharedIdsUntold(pod), true);
  Answer answer = AnswerFor(question, pod, containers);
  answer.confirmed = true;
  answer.is_final = false;
  return answer;
}

// Begins with the one that had this grant before; of the rest with others than those who were asked
// about in vain the last time.
std::vector<const NodePod*> Resolver::CandidatesFor(const Question& question) const {
  const std::optional<ContainerIdentity> before = grants_.Find(question.name);
  std::vector<const NodePod*> candidates = Candidates(
      question.ids.size(), question.pods, options_.names,
      [this](std::string_view uid, std::string_view name) { return grants_.Filled(uid, name); },
      before ? before->uid : std::string());
  if (candidates.empty()) return candidates;
  auto rest = candidates.begin();
  if (before && (*rest)->pod.uid == before->uid) ++rest;
  const auto count = candidates.end() - rest;
  if (count > 0) {
    std::rotate(rest, rest + static_cast<std::ptrdiff_t>(next_candidate_.load()) % count,
                candidates.end());
  }
  return candidates;
}

}  // namespace aliquot::agent
