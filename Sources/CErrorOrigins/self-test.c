// What the self-test compares with what the standard library says.
#include "origins.h"

uintptr_t __attribute__((noinline)) error_origins_here(void) { return (uintptr_t)__builtin_return_address(0); }

#if ERROR_ORIGINS_AVAILABLE
error_origins_layout error_origins_layout_of(const void *type) { return layout_of(type); }
#else
error_origins_layout error_origins_layout_of(const void *type) {
    return (void)type, (error_origins_layout){0, false};
}
#endif
