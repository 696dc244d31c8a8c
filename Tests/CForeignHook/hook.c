#include "CForeignHook.h"

#ifdef __linux__
#include <stdatomic.h>
#include <stddef.h>

typedef void error_hook(void *box);
extern _Atomic(error_hook *) _swift_willThrow __attribute__((weak));
static _Atomic(error_hook *) former;
static _Atomic long calls;

__attribute__((noinline)) static void foreign_hook(void *box) {
    atomic_fetch_add(&calls, 1);
    error_hook *next = atomic_load(&former);
    if (next) next(box);
}

void foreign_hook_put_in_front(void) {
    atomic_store(&former, atomic_load(&_swift_willThrow));
    atomic_store(&_swift_willThrow, foreign_hook);
}
long foreign_hook_calls(void) { return atomic_load(&calls); }
#else
void foreign_hook_put_in_front(void) {}
long foreign_hook_calls(void) { return 0; }
#endif
