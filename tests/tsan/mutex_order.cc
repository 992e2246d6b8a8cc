// Tells ThreadSanitizer what absl::Mutex, CondVar, Notification and BlockingCounter order: Debian's
// Abseil is not instrumented, so that every state which one of them guards would be reported as a
// race. The linker puts these in the place of Abseil's own (--wrap, cmake/compiler.cmake, preset
// tsan).
//
// Conditions are awaited by looking again and again: evaluated inside Abseil, they would read
// guarded state in a thread that is not known to hold the mutex.
#include <time.h>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"

extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
}

namespace {

using absl::BlockingCounter;
using absl::Condition;
using absl::CondVar;
using absl::Mutex;
using absl::Notification;

void* Address(const void* address) { return const_cast<void*>(address); }

void Pause() {
  const timespec pause = {.tv_sec = 0, .tv_nsec = 500'000};
  nanosleep(&pause, nullptr);
}

}  // namespace

// The names are those of Itanium C++ ABI mangling, as GCC and Clang have it.
#define REAL(name) __real_##name
#define WRAP(name) __wrap_##name
#define LOCK _ZN4absl7debian35Mutex4LockEv
#define UNLOCK _ZN4absl7debian35Mutex6UnlockEv
#define READER_LOCK _ZN4absl7debian35Mutex10ReaderLockEv
#define READER_UNLOCK _ZN4absl7debian35Mutex12ReaderUnlockEv
#define LOCK_WHEN _ZN4absl7debian35Mutex8LockWhenERKNS0_9ConditionE
#define AWAIT _ZN4absl7debian35Mutex5AwaitERKNS0_9ConditionE
#define AWAIT_FOR _ZN4absl7debian35Mutex16AwaitWithTimeoutERKNS0_9ConditionENS0_8DurationE
#define RELEASE _ZN4absl7debian319ReleasableMutexLock7ReleaseEv
#define WAIT_CHANGE _ZN4absl7debian37CondVar4WaitEPNS0_5MutexE
#define WAIT_CHANGE_FOR _ZN4absl7debian37CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE
#define NOTIFY _ZN4absl7debian312Notification6NotifyEv
#define WAIT _ZNK4absl7debian312Notification19WaitForNotificationEv
#define WAIT_FOR _ZNK4absl7debian312Notification30WaitForNotificationWithTimeoutENS0_8DurationE
#define COUNT_DOWN _ZN4absl7debian315BlockingCounter14DecrementCountEv
#define AWAIT_COUNT _ZN4absl7debian315BlockingCounter4WaitEv
#define TWICE(macro, name) macro(name)
#define R(name) TWICE(REAL, name)
#define W(name) TWICE(WRAP, name)

extern "C" {

void R(LOCK)(Mutex*);
void R(UNLOCK)(Mutex*);
void R(READER_LOCK)(Mutex*);
void R(READER_UNLOCK)(Mutex*);
void R(RELEASE)(absl::ReleasableMutexLock*);
void R(WAIT_CHANGE)(CondVar*, Mutex*);
bool R(WAIT_CHANGE_FOR)(CondVar*, Mutex*, absl::Duration);
void R(NOTIFY)(Notification*);
void R(WAIT)(const Notification*);
bool R(WAIT_FOR)(const Notification*, absl::Duration);
bool R(COUNT_DOWN)(BlockingCounter*);
void R(AWAIT_COUNT)(BlockingCounter*);

void W(LOCK)(Mutex* mutex) {
  R(LOCK)(mutex);
  __tsan_acquire(mutex);
}

void W(UNLOCK)(Mutex* mutex) {
  __tsan_release(mutex);
  R(UNLOCK)(mutex);
}

void W(READER_LOCK)(Mutex* mutex) {
  R(READER_LOCK)(mutex);
  __tsan_acquire(mutex);
}

// Readers are ordered among each other by this, which hides what one of them writes.
void W(READER_UNLOCK)(Mutex* mutex) {
  __tsan_release(mutex);
  R(READER_UNLOCK)(mutex);
}

bool W(AWAIT_FOR)(Mutex* mutex, const Condition& condition, absl::Duration patience) {
  const absl::Time deadline = absl::Now() + patience;
  while (!condition.Eval()) {
    if (absl::Now() >= deadline) return false;
    W(UNLOCK)(mutex);
    Pause();
    W(LOCK)(mutex);
  }
  return true;
}

void W(AWAIT)(Mutex* mutex, const Condition& condition) {
  W(AWAIT_FOR)(mutex, condition, absl::InfiniteDuration());
}

void W(LOCK_WHEN)(Mutex* mutex, const Condition& condition) {
  W(LOCK)(mutex);
  W(AWAIT)(mutex, condition);
}

// Its first member is the mutex that it unlocks.
void W(RELEASE)(absl::ReleasableMutexLock* lock) {
  __tsan_release(*reinterpret_cast<Mutex**>(lock));
  R(RELEASE)(lock);
}

// The mutex is unlocked and locked again inside Abseil.
void W(WAIT_CHANGE)(CondVar* change, Mutex* mutex) {
  __tsan_release(mutex);
  R(WAIT_CHANGE)(change, mutex);
  __tsan_acquire(mutex);
}

bool W(WAIT_CHANGE_FOR)(CondVar* change, Mutex* mutex, absl::Duration patience) {
  __tsan_release(mutex);
  const bool expired = R(WAIT_CHANGE_FOR)(change, mutex, patience);
  __tsan_acquire(mutex);
  return expired;
}

void W(NOTIFY)(Notification* notification) {
  __tsan_release(notification);
  R(NOTIFY)(notification);
}

void W(WAIT)(const Notification* notification) {
  R(WAIT)(notification);
  __tsan_acquire(Address(notification));
}

bool W(WAIT_FOR)(const Notification* notification, absl::Duration patience) {
  const bool notified = R(WAIT_FOR)(notification, patience);
  if (notified) __tsan_acquire(Address(notification));
  return notified;
}

bool W(COUNT_DOWN)(BlockingCounter* counter) {
  __tsan_release(counter);
  return R(COUNT_DOWN)(counter);
}

void W(AWAIT_COUNT)(BlockingCounter* counter) {
  R(AWAIT_COUNT)(counter);
  __tsan_acquire(counter);
}

}  // extern "C"
