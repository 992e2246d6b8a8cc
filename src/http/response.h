// An answer as libmicrohttpd sends it.
//
// Thread safety: for the server's thread.
#pragma once

#include <microhttpd.h>

#include "base/byte_budget.h"
#include "http/message.h"

namespace opic::http {

// The body counts in `held` until it is sent, which must outlive the response. Null: there is no
// memory for it, and the answer's flow is as it was.
MHD_Response* ResponseOf(Answer answer, MHD_Connection* connection, base::ByteBudget& held);

}  // namespace opic::http
