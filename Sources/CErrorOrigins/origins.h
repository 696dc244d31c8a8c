// What the files of this target share.
#pragma once
#include "CErrorOrigins.h"

// Frames are read as the x86-64 and AArch64 conventions lay them out.
#if defined(__linux__) && defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
#define ERROR_ORIGINS_AVAILABLE 1
#else
#define ERROR_ORIGINS_AVAILABLE 0
#endif

#if ERROR_ORIGINS_AVAILABLE
#include <stdatomic.h>
#include <stddef.h>

/// What the runtime calls before each `throw`; plain C functions, unlike the runtime's own.
typedef void error_hook(void *box);
typedef void typed_error_hook(void *value, const void *type, const void *conformance);
// Weak: a runtime may lack them.
extern _Atomic(error_hook *) _swift_willThrow __attribute__((weak));
extern _Atomic(typed_error_hook *) _swift_willThrowTypedImpl __attribute__((weak));

// stack.c
/// Returns the address behind a throw, from the frame of the hook; 0 if it can't be read.
uintptr_t stack_place(void **frame);

typedef struct {
    void *value;
    const void *type, *conformance;
} error_value;
/// The runtime's own function to read a box.
void swift_getErrorValue(const void *box, void **scratch, error_value *result);

/// Returns the type of the error in a box.
static inline const void *type_of(const void *box) {
    void *scratch = NULL;
    error_value result;
    swift_getErrorValue(box, &scratch, &result);
    return result.type;
}

static inline error_origins_layout layout_of(const void *type) {
    uintptr_t kind = *(const uintptr_t *)type;
    // The kinds of metadata are small numbers; a class has 0 or a pointer there.
    if (kind == 0 || kind > 0x7FF) return (error_origins_layout){((const uint32_t *)type)[6], true};
    // The value witnesses lie in front of the metadata: eight functions, then the size.
    const uintptr_t *witnesses = ((const uintptr_t *const *)type)[-1];
    return (error_origins_layout){witnesses[8], false};
}

// throws.c
void throws_record(void *object, uintptr_t size, void **frame);
/// Returns the address of the throw of the error in a box; 0 if it is unknown.
uintptr_t throws_find(const void *object, uintptr_t size);
uintptr_t throws_size(void);

// places.c
void places_prepare(void);
uint32_t places_number(uintptr_t address);
uintptr_t places_size(void);
#endif
