// SPDX-License-Identifier: Apache-2.0
#include "tests/simgpu/world/engine.h"

#include <algorithm>

namespace aliquot::simgpu {
namespace {

constexpr std::uint64_t kNever = ~0ULL;

WorkItem& ItemOf(QueueLayout& queue, std::uint64_t number) {
  return queue.items[number % kQueueItems];
}

bool HasWork(const QueueLayout& queue, int card) {
  return queue.process >= 0 && queue.card == card && queue.first < queue.next;
}

// The next queue in turn with an item that may start, or -1; `soonest` gets when one will.
int ChooseQueue(WorldLayout& world, int card, std::uint64_t& soonest) {
  soonest = kNever;
  // -1 before the first item; a queue above all used ones cannot be.
  const int after = world.card[card].last_queue;
  for (int step = 1; step <= world.queues_used; ++step) {
    const int index = (after + step) % world.queues_used;
    QueueLayout& queue = world.queue[index];
    if (!HasWork(queue, card)) {
      continue;
    }
    const std::uint64_t from = ItemOf(queue, queue.first).submitted;
    if (from <= world.card[card].time) {
      return index;
    }
    soonest = std::min(soonest, from);
  }
  return -1;
}

// Does a part of the running item that ends by `now`.
void RunPart(WorldLayout& world, int card_index, std::uint64_t now) {
  CardLayout& card = world.card[card_index];
  QueueLayout& queue = world.queue[card.running];
  WorkItem& item = ItemOf(queue, queue.first);
  std::uint64_t part = std::min(item.left, now - card.time);
  if (world.slice_ns != 0) {
    part = std::min(part, card.slice_left);
    card.slice_left -= part;
  }
  card.time += part;
  card.busy_ns += part;
  world.process[queue.process].cards[card_index].busy_ns += part;
  item.left -= part;
  if (item.left == 0) {
    item.finished = card.time;
    ++queue.first;
  }
  if (item.left == 0 || (world.slice_ns != 0 && card.slice_left == 0)) {
    card.last_queue = card.running;
    card.running = -1;
  }
}

// One step towards `now`; false when there is nothing more to do by then.
bool Step(WorldLayout& world, int card_index, std::uint64_t now) {
  CardLayout& card = world.card[card_index];
  if (card.running < 0) {
    std::uint64_t soonest = kNever;
    card.running = ChooseQueue(world, card_index, soonest);
    card.slice_left = world.slice_ns;
    if (card.running < 0) {
      card.time = std::max(card.time, std::min(soonest, now));
      return soonest <= now;
    }
  }
  const QueueLayout& queue = world.queue[card.running];
  if (card.time >= now && queue.items[queue.first % kQueueItems].left != 0) {
    return false;
  }
  RunPart(world, card_index, now);
  return true;
}

}  // namespace

void AdvanceCard(WorldLayout& world, int card, std::uint64_t now) {
  now = std::max(now, world.card[card].time);
  while (Step(world, card, now)) {
  }
}

void AdvanceUntilDone(WorldLayout& world, int queue, std::uint64_t item) {
  const int card = world.queue[queue].card;
  std::uint64_t now = std::max(world.virtual_now, world.card[card].time);
  AdvanceCard(world, card, now);
  while (!Done(world.queue[queue], item)) {
    // No part of the way is skipped: this much must pass at the least.
    now += std::max<std::uint64_t>(WorkUntil(world.queue[queue], item), 1);
    AdvanceCard(world, card, now);
  }
  const std::uint64_t end = FinishedAt(world.queue[queue], item);
  world.virtual_now = std::max({world.virtual_now, end, world.card[card].time});
}

std::uint64_t Submit(WorldLayout& world, int index, std::uint32_t stream, std::uint64_t duration,
                     std::uint64_t now) {
  QueueLayout& queue = world.queue[index];
  AdvanceCard(world, queue.card, now);
  ItemOf(queue, queue.next) = {now, duration, duration, 0, stream, 0};
  const std::uint64_t number = queue.next++;
  AdvanceCard(world, queue.card, now);
  return number;
}

bool HasRoom(const QueueLayout& queue) { return queue.next - queue.first < kQueueItems - 1; }

std::uint32_t Pending(const QueueLayout& queue, std::uint32_t stream) {
  std::uint32_t count = 0;
  for (std::uint64_t i = queue.first; i < queue.next; ++i) {
    count += queue.items[i % kQueueItems].stream == stream ? 1 : 0;
  }
  return count;
}

std::uint64_t FinishedAt(const QueueLayout& queue, std::uint64_t item) {
  if (!Done(queue, item) || queue.next - item > kQueueItems) {
    return 0;
  }
  return queue.items[item % kQueueItems].finished;
}

std::uint64_t WorkUntil(const QueueLayout& queue, std::uint64_t item) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = queue.first; i <= item && i < queue.next; ++i) {
    sum += queue.items[i % kQueueItems].left;
  }
  return sum;
}

int OpenQueue(WorldLayout& world, int process, int card) {
  for (int i = 0; i < kMaxQueues; ++i) {
    if (world.queue[i].process < 0) {
      world.queue[i].process = process;
      world.queue[i].card = card;
      world.queue[i].first = 0;
      world.queue[i].next = 0;
      world.queues_used = std::max(world.queues_used, i + 1);
      return i;
    }
  }
  return -1;
}

void CloseQueue(WorldLayout& world, int queue) {
  CardLayout& card = world.card[world.queue[queue].card];
  if (card.running == queue) {
    card.running = -1;
    card.last_queue = queue;
  }
  world.queue[queue].process = -1;
  world.queue[queue].first = world.queue[queue].next = 0;
}

}  // namespace aliquot::simgpu
