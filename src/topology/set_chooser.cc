// SPDX-License-Identifier: Apache-2.0
#include "topology/set_chooser.h"

#include <utility>

#include "topology/branch_and_bound.h"
#include "topology/remaining_table.h"
#include "topology/subset_table.h"

namespace aliquot::topology {

SetChooser::SetChooser(SetShape shape, int max_steps)
    : shape_(std::move(shape)), max_steps_(max_steps) {}

SetChooser::~SetChooser() = default;

bool SetChooser::has_table() const { return shape_.card_count() <= kMaxTableCards; }

const SubsetTable& SetChooser::Table() const {
  std::call_once(table_once_, [this] { table_ = std::make_unique<const SubsetTable>(shape_); });
  return *table_;
}

void SetChooser::Prepare() const {
  if (has_table()) {
    Table();
  }
}

SetChoice SetChooser::Choose(const SetRequest& request) const {
  if (has_table()) {
    return {Table().Choose(request), false};
  }
  return ChooseByBranchAndBound(shape_, request, max_steps_);
}

Connectedness SetChooser::Of(CardSet set) const {
  set &= shape_.all();
  return has_table() ? Table().Of(set) : ConnectednessBySearch(shape_, set, max_steps_);
}

SetValue SetChooser::ValueOf(CardSet set, const SetRequest& request) const {
  const CardSet free = request.free & shape_.all();
  set &= free;
  if (has_table()) {
    return Table().ValueOf(set, free);
  }
  return {ConnectednessBySearch(shape_, set, max_steps_), RemainingAfter(shape_, set, free)};
}

SetOrder SetChooser::OrderOf(const SetRequest& request) const {
  if (has_table()) {
    return Table().OrderOf(request);
  }
  return request.sensitive ? SetOrder::kBestConnected : SetOrder::kLeavesMost;
}

Result<std::vector<RankedSet>> SetChooser::Ranked(const SetRequest& request) const {
  const CardSet free = request.free & shape_.all();
  if (Status listable = CheckListable(CountOf(free), request.count); !listable.ok()) {
    return listable;
  }
  if (!has_table()) {
    return RankBySearch(shape_, request, max_steps_);
  }
  std::vector<RankedSet> sets;
  for (const CardSet set : Table().Ranked(request)) {
    sets.push_back({set, Table().ValueOf(set, free)});
  }
  return sets;
}

}  // namespace aliquot::topology
