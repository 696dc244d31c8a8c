// Where values were thrown by functions with typed throws. Such an error has no box at its throw, so what is kept is
// its type and its bytes. Equal bytes are equal errors only if no byte belongs to an address that can be used again:
// other values aren't recorded.
#include "origins.h"

#if ERROR_ORIGINS_AVAILABLE
#include <string.h>

enum { sets = 32, ways = 4, words = 6, attempts = 3 };

typedef struct {
    _Atomic uint64_t version;
    _Atomic(const void *) type;
    _Atomic uintptr_t bytes[words], at[depth];
} value_entry;
static value_entry table[sets][ways];
/// Until a value was recorded, lookups end here.
static _Atomic bool is_used;

static value_entry *set_of(const void *type, const uintptr_t bytes[words]) {
    uintptr_t hash = (uintptr_t)type >> 3;
    for (int i = 0; i < words; i++) hash = (hash ^ bytes[i]) * (uintptr_t)0x9E3779B97F4A7C15;
    return table[hash >> 59];
}

static uintptr_t address_of(value_entry *entry, int index) {
    return atomic_load_explicit(&entry->at[index], memory_order_relaxed);
}

static bool is_entry(value_entry *entry, const void *type, const uintptr_t bytes[words]) {
    if (atomic_load_explicit(&entry->type, memory_order_relaxed) != type) return false;
    for (int i = 0; i < words; i++)
        if (atomic_load_explicit(&entry->bytes[i], memory_order_relaxed) != bytes[i]) return false;
    return true;
}

void values_record(const void *value, const void *type, uintptr_t size, bool is_plain, void **frame) {
    if (size > sizeof(uintptr_t[words])) return;
    uintptr_t bytes[words] = {0};
    memcpy(bytes, value, size);
    if (!is_plain)
        for (int i = 0; i < words; i++)
            if (!stack_is_lasting(bytes[i])) return;
    uintptr_t at[depth];
    stack_walk(frame, at);
    value_entry *set = set_of(type, bytes), *oldest = NULL;
    uint64_t version = UINT64_MAX;
    for (int i = 0; i < ways; i++) {
        // The same place again. Its callers may be others; the first ones stay. Two addresses are compared, because the
        // first may be in a copy of the runtime's function that isn't known yet.
        if (is_entry(&set[i], type, bytes) && address_of(&set[i], 0) == at[0] && address_of(&set[i], 1) == at[1]) return;
        uint64_t other = atomic_load_explicit(&set[i].version, memory_order_relaxed);
        if (other < version) version = other, oldest = &set[i];
    }
    if (version & 1) return;
    if (!atomic_compare_exchange_strong_explicit(
            &oldest->version, &version, version + 1, memory_order_acquire, memory_order_relaxed))
        return;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&oldest->type, type, memory_order_relaxed);
    for (int i = 0; i < words; i++) atomic_store_explicit(&oldest->bytes[i], bytes[i], memory_order_relaxed);
    for (int i = 0; i < depth; i++) atomic_store_explicit(&oldest->at[i], at[i], memory_order_relaxed);
    atomic_store_explicit(&oldest->version, version + 2, memory_order_release);
    if (!atomic_load_explicit(&is_used, memory_order_relaxed))
        atomic_store_explicit(&is_used, true, memory_order_relaxed);
}

uintptr_t values_size(void) { return sizeof table; }

/// Adds an entry's addresses: those of the first entry are a place with its callers, those of others are further places.
static int add_place(error_origins_stack *stack, const uintptr_t at[depth], int found) {
    if (found == 0) {
        memcpy(stack->at, at, sizeof stack->at);
        return 1;
    }
    // From now on callers are left out.
    for (int i = found; i < depth; i++) stack->at[i] = 0;
    for (int i = 0; i < found; i++)
        if (stack->at[i] == at[0]) return found;
    stack->at[found] = at[0];
    return found + 1;
}

bool values_find(const void *value, const void *type, uintptr_t size, error_origins_stack *stack) {
    if (size > sizeof(uintptr_t[words]) || !atomic_load_explicit(&is_used, memory_order_relaxed)) return false;
    uintptr_t bytes[words] = {0};
    memcpy(bytes, value, size);
    value_entry *set = set_of(type, bytes);
    int found = 0;
    for (int i = 0; i < ways; i++) {
        for (int attempt = 0; attempt < attempts; attempt++) {
            uint64_t version = atomic_load_explicit(&set[i].version, memory_order_acquire);
            if (!is_entry(&set[i], type, bytes)) break;
            uintptr_t at[depth];
            for (int k = 0; k < depth; k++) at[k] = address_of(&set[i], k);
            atomic_thread_fence(memory_order_acquire);
            if (version & 1 || atomic_load_explicit(&set[i].version, memory_order_relaxed) != version) continue;
            found = add_place(stack, at, found);
            break;
        }
    }
    stack->are_alternatives = found > 1;
    return found > 0;
}
#endif
