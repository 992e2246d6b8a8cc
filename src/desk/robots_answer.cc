#include "desk/robots_answer.h"

#include "desk/page_answer.h"

namespace opic::desk {

robots::Access AccessOf(const fetch::Response& response) {
  return IsTransient(response) || !IsAnswered(response) ? robots::Access::kDisallowAll
                                                        : robots::AccessOf(response.status);
}

std::string_view Name(robots::Access access) {
  switch (access) {
    case robots::Access::kParse:
      return "rules";
    case robots::Access::kAllowAll:
      return "none";
    case robots::Access::kRedirect:
      return "redirect";
    case robots::Access::kDisallowAll:
      break;
  }
  return "failed";
}

Counter CounterOf(robots::Access access) {
  switch (access) {
    case robots::Access::kParse:
      return Counter::kRobotsRules;
    case robots::Access::kAllowAll:
      return Counter::kRobotsNone;
    case robots::Access::kRedirect:
      return Counter::kRobotsRedirects;
    case robots::Access::kDisallowAll:
      break;
  }
  return Counter::kRobotsFailed;
}

}  // namespace opic::desk
