// What the files of this target share.
#pragma once
#include "CErrorOrigins.h"

// Frames are read as the x86-64 and AArch64 conventions lay them out, and a stack's end as glibc does.
#if defined(__linux__) && defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
#define ERROR_ORIGINS_AVAILABLE 1
#else
#define ERROR_ORIGINS_AVAILABLE 0
#endif

#if ERROR_ORIGINS_AVAILABLE
#include <stdatomic.h>
#include <stddef.h>

enum { depth = error_origins_depth };

/// What the runtime calls before each `throw`; plain C functions, unlike the runtime's own.
typedef void error_hook(void *box);
typedef void typed_error_hook(void *value, const void *type, const void *conformance);
// Weak: a runtime may lack them.
extern _Atomic(error_hook *) _swift_willThrow __attribute__((weak));
extern _Atomic(typed_error_hook *) _swift_willThrowTypedImpl __attribute__((weak));

/// Parts of the runtime's code whose frames are left out.
typedef struct {
    uintptr_t low, high;
} address_range;

// stack.c
/// Finds the runtime's code; before the first walk.
void stack_prepare(void);
/// Writes the return addresses of a function's callers, but for the runtime's, and zeros after them.
void stack_walk(void **frame, uintptr_t at[depth]);
/// Whether a word can't be the address of memory that is freed and used again.
bool stack_is_lasting(uintptr_t word);

// layout.c
/// Returns the type of the error in a box, and its value.
const void *layout_type_of(const void *box, void **value);

// throws.c: errors that have an address of their own
void throws_record(void *object, uintptr_t size, void **frame);
bool throws_find(const void *object, uintptr_t size, uintptr_t at[depth]);
uintptr_t throws_size(void);

// values.c: errors that have none
void values_record(const void *value, const void *type, uintptr_t size, bool is_plain, void **frame);
bool values_find(const void *value, const void *type, uintptr_t size, error_origins_stack *stack);
uintptr_t values_size(void);

// places.c
void places_prepare(void);
uintptr_t places_size(void);
uint32_t places_number(const error_origins_stack *stack);
#endif
