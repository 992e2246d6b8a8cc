// How often libcurl asks the system about a socket.
//
// poll_calls.cc defines poll for the test program, which libcurl then calls; all calls go to the
// system.
#pragma once

namespace opic::fetch {

// Since the program began, by any thread.
int PollCalls();

}  // namespace opic::fetch
