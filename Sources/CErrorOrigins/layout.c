// What the hook reads of errors and of their types.
#include "origins.h"

uintptr_t __attribute__((noinline)) error_origins_here(void) { return (uintptr_t)__builtin_return_address(0); }

error_origins_layout error_origins_layout_of(const void *type) {
    uintptr_t kind = *(const uintptr_t *)type;
    // The kinds of metadata are small numbers; a class has 0 or a pointer there.
    if (kind == 0 || kind > 0x7FF)
        return (error_origins_layout){((const uint32_t *)type)[6], true, false};
    // The value witnesses lie in front of the metadata: eight functions, size, stride, flags.
    const uintptr_t *witnesses = ((const uintptr_t *const *)type)[-1];
    bool is_plain = !((uint32_t)witnesses[10] & 0x10000);
    return (error_origins_layout){witnesses[8], false, is_plain};
}

#if ERROR_ORIGINS_AVAILABLE
typedef struct {
    void *value;
    const void *type, *conformance;
} error_value;
void swift_getErrorValue(const void *box, void **scratch, error_value *result);

const void *layout_type_of(const void *box, void **value) {
    void *scratch = NULL;
    error_value result;
    swift_getErrorValue(box, &scratch, &result);
    *value = result.value;
    return result.type;
}
#endif
