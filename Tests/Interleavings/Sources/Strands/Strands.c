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

// Use `_setjmp` and `_longjmp`: `swapcontext` makes a system call at each switch, for the signal mask. A strand needs
// its context only to begin.
struct strand {
    ucontext_t context;
    jmp_buf position;
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
    strand *result = calloc(1, sizeof *result);
    result->hasBegun = true;
    return result;
}

strand *strand_make(void (*body)(void *), void *argument, size_t stack) {
    strand *result = calloc(1, sizeof *result);
    result->body = body;
    result->argument = argument;
    getcontext(&result->context);
    result->context.uc_stack.ss_sp = malloc(stack);
    result->context.uc_stack.ss_size = stack;
    uintptr_t self = (uintptr_t)result;
    makecontext(&result->context, (void (*)(void))enter, 2, (unsigned)(self >> 32), (unsigned)self);
    return result;
}

void strand_switch(strand *from, strand *to) {
    if (_setjmp(from->position)) return;
    if (to->hasBegun) _longjmp(to->position, 1);
    to->hasBegun = true;
    setcontext(&to->context);
}

// MARK: Memory

static __thread bool isDeferring;
static __thread void **deferred;
static __thread size_t deferredCount, deferredCapacity;

void __libc_free(void *memory);

// Replaces the C library's function, for the Swift runtime too. Only the exploring thread defers.
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
    // If a container forbids this, a schedule can be replayed only if no two types' addresses happen to collide.
    if (persona != -1) personality((unsigned long)persona | ADDR_NO_RANDOMIZE);
    execv("/proc/self/exe", arguments);
}
