// Reads return addresses from the calling thread's own stack, and from nowhere else.
#define _GNU_SOURCE
#include "origins.h"

#if ERROR_ORIGINS_AVAILABLE
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_stack_end;
void swift_willThrow(void) __attribute__((weak));
void swift_willThrowTypedImpl(void) __attribute__((weak));

enum { page = 4096, image_limit = 64, left_out_limit = 16, longest_frame = 1 << 18, pages_per_walk = 64, frames_per_walk = 64 };

static address_range runtime[2];
static address_range images[image_limit];
static int image_count;

static int note_image(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size, (void)context;
    address_range image = {UINTPTR_MAX, 0};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD) continue;
        uintptr_t low = info->dlpi_addr + header->p_vaddr, high = low + header->p_memsz;
        if (low < image.low) image.low = low;
        if (high > image.high) image.high = high;
    }
    if (image.low < image.high && image_count < image_limit) images[image_count++] = image;
    return 0;
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
        if (length <= 0) return 0;
        path[length] = 0;
        name = path;
    }
    call->body(call->context, name, low, end);
    return 0;
}

void error_origins_images(void *context, void (*body)(void *, const char *, uintptr_t, uintptr_t)) {
    image_call call = {context, body};
    dl_iterate_phdr(pass_image, &call);
}

static const address_range *image_of(uintptr_t address) {
    for (int i = 0; i < image_count; i++)
        if (address >= images[i].low && address < images[i].high) return &images[i];
    return NULL;
}

void stack_prepare(void) {
    if (image_count) return;
    dl_iterate_phdr(note_image, NULL);
    const address_range *core = image_of((uintptr_t)swift_willThrow);
    if (core && core != image_of((uintptr_t)stack_prepare)) {
        runtime[0] = runtime[1] = *core;
        return;
    }
    // With a static runtime, only the two functions that call the hooks can be told apart. They are this short; a
    // self-test shows whether they still are.
    runtime[0] = (address_range){(uintptr_t)swift_willThrow, (uintptr_t)swift_willThrow + 48};
    runtime[1] = (address_range){(uintptr_t)swift_willThrowTypedImpl, (uintptr_t)swift_willThrowTypedImpl + 96};
}

bool stack_is_lasting(uintptr_t word) {
    // Swift marks pointers in the highest byte and the lowest three bits.
    uintptr_t address = word & 0xFFFFFFFFFFFFFF;
    return address < 0x10000 || address >> 48 || image_of(address);
}

/// The return addresses in copies of a function of the runtime that the compiler emits into each image.
static _Atomic uintptr_t left_out[left_out_limit];

void error_origins_leave_out(uintptr_t address) {
    for (int i = 0; i < left_out_limit; i++) {
        uintptr_t present = 0;
        if (atomic_compare_exchange_strong(&left_out[i], &present, address) || present == address) return;
    }
}

static inline bool is_runtime(uintptr_t address) {
    for (int i = 0; i < left_out_limit; i++) {
        uintptr_t other = atomic_load_explicit(&left_out[i], memory_order_relaxed);
        if (other == address) return true;
        if (other == 0) break;
    }
    return (address >= runtime[0].low && address < runtime[0].high)
        || (address >= runtime[1].low && address < runtime[1].high);
}

/// Whether a page can be read: the system call fails either way, and the reason tells which.
static bool is_readable(uintptr_t address) {
    int saved = errno;
    syscall(SYS_rt_sigprocmask, ~0, address, NULL, 8);
    bool readable = errno != EFAULT;
    errno = saved;
    return readable;
}

/// The end of the calling thread's stack, and the lowest page down to which it was found readable without a gap.
///
/// The model is fixed so that an access never allocates.
static _Thread_local __attribute__((tls_model("initial-exec"))) address_range known;

/// Returns the end of the stack that a frame is on; 0 if the frame may be elsewhere: on a signal's stack or a fiber's.
static inline uintptr_t stack_end(uintptr_t frame) {
    // A thread's own data is at the end of its stack; the first thread's stack is above all else.
    uintptr_t end = (uintptr_t)pthread_self();
    if (end < frame) end = (uintptr_t)__libc_stack_end;
    if (known.high == end && frame >= known.low) return frame < end ? end : 0;
    if (known.high != end) known = (address_range){(end - 1) & -page, end};
    for (int i = 0; i < pages_per_walk && frame < known.low; i++) {
        if (!is_readable(known.low - page)) return 0;
        known.low -= page;
    }
    return frame >= known.low && frame < end ? end : 0;
}

__attribute__((no_sanitize("address", "thread")))
void stack_walk(void **frame, uintptr_t at[depth]) {
    uintptr_t end = stack_end((uintptr_t)frame);
    int count = 0;
    for (int i = 0; i < frames_per_walk && count < depth; i++) {
        uintptr_t address = (uintptr_t)frame[1], next = (uintptr_t)frame[0], here = (uintptr_t)frame;
        if (address < 0x10000) break;
        bool of_runtime = is_runtime(address);
        if (!of_runtime) at[count++] = address;
        // The runtime's frame directly above the hook's is known to be there. All others are read only within the
        // stack: code that was built without frame pointers leaves anything in the register.
        uintptr_t limit = end ? end - 2 * sizeof(void *) : i == 0 && of_runtime ? here + 256 : 0;
        if (next <= here || next > limit || next - here > longest_frame || next % 16) break;
        frame = (void **)next;
    }
    while (count < depth) at[count++] = 0;
}
#endif
