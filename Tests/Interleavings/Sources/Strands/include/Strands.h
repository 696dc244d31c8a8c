#pragma once
#include <stdbool.h>
#include <stddef.h>

/// A separate stack that a thread can switch to and from.
typedef struct strand strand;

/// The strand of the code that calls this.
strand *strand_of_caller(void);
/// A strand that calls a function, which never returns, when it is first switched to.
strand *strand_make(void (*body)(void *), void *argument, size_t stack);
void strand_switch(strand *from, strand *to);

/// Sets whether this thread's `free` keeps the memory until `frees_carry_out`, so that no address is used twice.
void frees_defer(bool isDeferred);
void frees_carry_out(void);

/// Stores the return addresses of the calls that led here, the innermost first, as offsets in the executable's file.
/// - Returns: The number of addresses; calls in other files are left out.
size_t calls_of_executable(unsigned long addresses[], size_t maximum);

/// Restarts the process so that addresses and hashes are the same in every run, unless it was already restarted.
void repeat_with_fixed_addresses(char *const arguments[]);
