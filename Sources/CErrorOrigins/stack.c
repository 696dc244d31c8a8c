// Where the function that throws called the runtime.
#define _GNU_SOURCE
#include "origins.h"

#if ERROR_ORIGINS_AVAILABLE
#include <link.h>
#include <unistd.h>

void swift_willThrow(void) __attribute__((weak));

/// The function is this short; a self-test shows whether it still is.
enum { length_of_will_throw = 64, longest_frame = 256 };

uintptr_t stack_place(void **frame) {
    // Anything else that calls the hook isn't the place.
    uintptr_t caller = (uintptr_t)frame[1], runtime = (uintptr_t)swift_willThrow;
    if (caller < runtime || caller >= runtime + length_of_will_throw) return 0;
    // The runtime's function has a frame, which is directly above. No other frame is read: code that was built without
    // frame pointers, or that runs on a fiber, leaves anything in the register.
    uintptr_t next = (uintptr_t)frame[0], here = (uintptr_t)frame;
    if (next <= here || next > here + longest_frame || next % sizeof(void *)) return 0;
    return (uintptr_t)((void **)next)[1];
}

typedef struct {
    void *context;
    void (*body)(void *, const char *, uintptr_t, uintptr_t);
} image_call;

static int pass_image(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    image_call *call = context;
    uintptr_t low = UINTPTR_MAX, end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD) continue;
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        if (start < low) low = start;
        if (header->p_flags & PF_X && start + header->p_memsz > end) end = start + header->p_memsz;
    }
    if (low >= end) return 0;
    // The executable has no name here.
    char path[4096];
    const char *name = info->dlpi_name;
    if (!name || !*name) {
        ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
        path[length > 0 ? length : 0] = 0;
        name = path;
    }
    call->body(call->context, name, low, end);
    return 0;
}

static int count_unloads(struct dl_phdr_info *info, size_t size, void *count) {
    if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs) *(uint64_t *)count = info->dlpi_subs;
    return 1;
}

uint64_t error_origins_unloads(void) {
    uint64_t count = 0;
    dl_iterate_phdr(count_unloads, &count);
    return count;
}

void error_origins_images(void *context, void (*body)(void *, const char *, uintptr_t, uintptr_t)) {
    image_call call = {context, body};
    dl_iterate_phdr(pass_image, &call);
}
#endif
