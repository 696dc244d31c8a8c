#define _GNU_SOURCE
#include "Strands.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <ucontext.h>
#include <unistd.h>

// MARK: Strands

// `swapcontext` calls the system at each switch, for the signal mask. `_setjmp` and `_longjmp` do not, so a context is
// only what a strand begins with.
struct strand {
    ucontext_t context;
    jmp_buf place;
    bool hasBegun;
    void (*body)(void *);
    void *argument;
};

static void enter(unsigned high, unsigned low) {
    strand *self = (strand *)((uintptr_t)high << 32 | low);
    self->body(self->argument);
    abort();
}

strand *strand_of_caller(void) {
    strand *made = calloc(1, sizeof *made);
    made->hasBegun = true;
    return made;
}

strand *strand_make(void (*body)(void *), void *argument, size_t stack) {
    strand *made = calloc(1, sizeof *made);
    made->body = body;
    made->argument = argument;
    getcontext(&made->context);
    made->context.uc_stack.ss_sp = malloc(stack);
    made->context.uc_stack.ss_size = stack;
    uintptr_t self = (uintptr_t)made;
    makecontext(&made->context, (void (*)(void))enter, 2, (unsigned)(self >> 32), (unsigned)self);
    return made;
}

void strand_switch(strand *from, strand *to) {
    if (_setjmp(from->place)) return;
    if (to->hasBegun) _longjmp(to->place, 1);
    to->hasBegun = true;
    setcontext(&to->context);
}

// MARK: Memory

static __thread bool isDeferring;
static __thread void **deferred;
static __thread size_t deferredCount, deferredCapacity;

void __libc_free(void *memory);

// In place of the C library's, also for the Swift runtime. Only the thread that explores defers.
void free(void *memory) {
    if (!isDeferring || !memory) {
        __libc_free(memory);
        return;
    }
    if (deferredCount == deferredCapacity) {
        deferredCapacity = deferredCapacity ? 2 * deferredCapacity : 1024;
        deferred = realloc(deferred, deferredCapacity * sizeof *deferred);
        if (!deferred) abort();
    }
    deferred[deferredCount++] = memory;
}

void frees_defer(bool isDeferred) { isDeferring = isDeferred; }

void frees_carry_out(void) {
    while (deferredCount > 0) __libc_free(deferred[--deferredCount]);
}

// MARK: The process

size_t calls_of_executable(unsigned long addresses[], size_t maximum) {
    void *calls[64];
    Dl_info own, other;
    int count = backtrace(calls, 64);
    size_t found = 0;
    if (!dladdr((void *)calls_of_executable, &own)) return 0;
    for (int index = 0; index < count && found < maximum; index++) {
        if (!dladdr(calls[index], &other) || other.dli_fbase != own.dli_fbase) continue;
        // The call is before the address to which it returns.
        addresses[found++] = (unsigned long)((char *)calls[index] - (char *)own.dli_fbase) - 1;
    }
    return found;
}

void repeat_with_fixed_addresses(char *const arguments[]) {
    if (getenv("SWIFT_DETERMINISTIC_HASHING")) return;
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1);
    int persona = personality(0xffffffff);
    // Where a container forbids this, a schedule can only be replayed if no two types' addresses happen to collide.
    if (persona != -1) personality((unsigned long)persona | ADDR_NO_RANDOMIZE);
    execv("/proc/self/exe", arguments);
}
