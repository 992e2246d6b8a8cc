// The guard's stack of open elements: errs towards depth (html_guard.h says why).
//
// Thread safety: confined to the owner thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "links/html_tokens.h"

namespace opic::links {

class OpenElements {
 public:
  // A start tag: opens its element, after closing what it surely ends.
  void Start(const HtmlTokens& token);
  // An end tag. False: it does not surely close anything, and nothing is closed.
  bool End(const HtmlTokens& token);

  size_t depth() const { return stack_.size(); }
  // What re-creating all open formatting elements costs, in steps of work.
  uint64_t formatting_work() const { return formatting_work_; }
  // Whether content here might have to be moved out of a table.
  bool may_foster() const;
  // Whether a raw text element might be an ordinary one here.
  bool may_misread_raw_text() const { return foreign_ + selects_ + templates_ > 0 || frameset_; }
  bool in_foreign() const { return foreign_ > 0; }

 private:
  struct Open {
    Tag tag;
    bool fosters;              // straight in a table's structure, not in a cell
    uint64_t formatting_work;  // 0: not a formatting element
    std::string_view name;
  };
  void CloseImplied(Tag tag);
  void Push(const HtmlTokens& token);
  void PopTo(size_t depth);
  void Count(const Open& open, int change);
  bool LeavesNothingOpen(const HtmlTokens& token) const;

  std::vector<Open> stack_;
  uint64_t formatting_work_ = 0;
  // How many of the open elements are of a kind.
  int tables_ = 0, selects_ = 0, templates_ = 0, foreign_ = 0;
  // SVG or MathML may have ended although it is on the stack, or HTML may have begun in it.
  bool foreign_doubt_ = false;
  bool table_doubt_ = false;  // a cell may have ended although it is on the stack
  bool frameset_ = false;     // seen
};

}  // namespace opic::links
