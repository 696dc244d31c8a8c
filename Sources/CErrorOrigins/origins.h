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

typedef struct {
    void *value;
    const void *type, *conformance;
} error_value;
/// The runtime's own function to read a box.
void swift_getErrorValue(const void *box, void **scratch, error_value *result);

/// Returns the type of the error in a box, and its value.
static inline const void *type_of(const void *box, void **value) {
    void *scratch = NULL;
    error_value result;
    swift_getErrorValue(box, &scratch, &result);
    *value = result.value;
    return result.type;
}

static inline error_origins_layout layout_of(const void *type) {
    uintptr_t kind = *(const uintptr_t *)type;
    // The kinds of metadata are small numbers; a class has 0 or a pointer there.
    if (kind == 0 || kind > 0x7FF) return (error_origins_layout){((const uint32_t *)type)[6], true, false};
    // The value witnesses lie in front of the metadata: eight functions, size, stride, flags.
    const uintptr_t *witnesses = ((const uintptr_t *const *)type)[-1];
    bool is_plain = !((uint32_t)witnesses[10] & 0x10000);
    return (error_origins_layout){witnesses[8], false, is_plain};
}

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
