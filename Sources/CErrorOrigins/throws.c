// Where the errors in boxes were thrown. An entry has an unowned reference to the box: the error is destroyed as
// without it, but the box's address isn't used again while the entry exists. So an error that is found at an address is
// the one that was thrown.
#include "origins.h"

#if ERROR_ORIGINS_AVAILABLE
void *swift_unownedRetain(void *object);
void swift_unownedRelease(void *object);

// The memory of destroyed errors is bounded, too: larger ones are in few sets only.
enum { sets = 128, ways = 4, sets_of_large = 4, small = 96, largest = 1024, attempts = 3 };

/// A version is odd while its entry is written. Readers that see it change read again, and wait for nobody.
typedef struct {
    _Atomic uint64_t version[ways];
    _Atomic(const void *) object[ways];
    _Atomic uintptr_t place[ways];
} throw_set;
static throw_set table[sets];

static throw_set *set_of(const void *object, uintptr_t size) {
    uintptr_t index = ((uintptr_t)object >> 4) * (uintptr_t)0x9E3779B97F4A7C15 >> 57;
    return &table[size > small ? index % sets_of_large : index];
}

void throws_record(void *object, uintptr_t size, void **frame) {
    if (size > largest) return;
    throw_set *set = set_of(object, size);
    int oldest = -1;
    uint64_t version = UINT64_MAX;
    for (int i = 0; i < ways; i++) {
        // Thrown again: the first place stays.
        if (atomic_load_explicit(&set->object[i], memory_order_relaxed) == object) return;
        uint64_t other = atomic_load_explicit(&set->version[i], memory_order_relaxed);
        // An entry that another thread is writing, or that this one was writing when a signal interrupted it, or that
        // was being written when the process was forked, is left alone.
        if (!(other & 1) && other < version) version = other, oldest = i;
    }
    uintptr_t place = stack_place(frame);
    if (oldest < 0 || !place) return;
    if (!atomic_compare_exchange_strong_explicit(
            &set->version[oldest], &version, version + 1, memory_order_acquire, memory_order_relaxed))
        return;
    atomic_thread_fence(memory_order_release);
    void *former = (void *)atomic_load_explicit(&set->object[oldest], memory_order_relaxed);
    atomic_store_explicit(&set->object[oldest], swift_unownedRetain(object), memory_order_relaxed);
    atomic_store_explicit(&set->place[oldest], place, memory_order_relaxed);
    atomic_store_explicit(&set->version[oldest], version + 2, memory_order_release);
    // Last: it may free memory. For a box, the runtime computes the size to free from metadata that isn't a class's; on
    // Linux it frees by the address alone.
    if (former) swift_unownedRelease(former);
}

uintptr_t throws_size(void) { return sizeof table; }

uintptr_t throws_find(const void *object, uintptr_t size) {
    if (size > largest) return 0;
    throw_set *set = set_of(object, size);
    for (int i = 0; i < ways; i++) {
        if (atomic_load_explicit(&set->object[i], memory_order_relaxed) != object) continue;
        for (int attempt = 0; attempt < attempts; attempt++) {
            uint64_t version = atomic_load_explicit(&set->version[i], memory_order_acquire);
            if (atomic_load_explicit(&set->object[i], memory_order_relaxed) != object) break;
            uintptr_t place = atomic_load_explicit(&set->place[i], memory_order_relaxed);
            atomic_thread_fence(memory_order_acquire);
            if (!(version & 1) && atomic_load_explicit(&set->version[i], memory_order_relaxed) == version) return place;
        }
    }
    return 0;
}
#endif
