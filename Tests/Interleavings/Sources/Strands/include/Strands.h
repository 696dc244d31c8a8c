#pragma once
#include <stdbool.h>
#include <stddef.h>

/// A stack of its own, to which a thread switches and from which it switches back.
typedef struct strand strand;

/// The strand of the code that calls this.
strand *strand_of_caller(void);
/// A strand that calls a function, which never returns, when it is first switched to.
strand *strand_make(void (*body)(void *), void *argument, size_t stack);
void strand_switch(strand *from, strand *to);

/// From now on this thread's `free` keeps the memory until `frees_carry_out`, so that no address is used twice.
void frees_defer(bool isDeferred);
void frees_carry_out(void);

/// Stores the return addresses of the calls that led here, the innermost first, as the executable's file numbers them.
/// - Returns: How many there are; those of other files are left out.
size_t calls_of_executable(unsigned long addresses[], size_t maximum);

/// Starts the process again with the same addresses and the same hashes in each run, unless it was started like that.
void repeat_with_fixed_addresses(char *const arguments[]);
