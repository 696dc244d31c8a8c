// The places of posted errors, each once: a report has its number. A place is never removed, so that a number means the
// same as long as the process runs; memory is bounded, because the last of the room is for places without callers.
#include "origins.h"

#if ERROR_ORIGINS_AVAILABLE
#include <semaphore.h>
#include <string.h>

enum { capacity = 512, with_callers = 384, slots = 1024, busy = 1, attempts = 16 };

typedef struct {
    uintptr_t at[depth];
    bool are_alternatives;
} place;
static place places[capacity];
/// A slot is empty, or it has a place's hash above 16 bits for the place's number, which is 0 until it can be read.
static _Atomic uint64_t table[slots];
static _Atomic uint32_t reserved;
static _Atomic uint32_t ready[capacity];
static sem_t new_places;
static bool has_semaphore;

static uint64_t hash_of(const place *new) {
    // The products don't depend on each other, so that the processor computes them at the same time.
    static const uint64_t factors[depth] = {
        0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93,
        0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3, 0x589965CC75374CC3,
    };
    uint64_t hash = new->are_alternatives;
    for (int i = 0; i < depth; i++) hash ^= new->at[i] * factors[i];
    hash ^= hash >> 29;
    hash *= factors[0];
    return (hash & ~(uint64_t)0xFFFF) | (uint64_t)1 << 63;
}

static bool is_same(const place *a, const place *b) {
    return a->are_alternatives == b->are_alternatives && !memcmp(a->at, b->at, sizeof a->at);
}

static uint32_t number_of(const place *new, uint32_t limit) {
    uint64_t hash = hash_of(new);
    for (uint32_t i = hash >> 40, probed = 0; probed < slots; i++, probed++) {
        _Atomic uint64_t *slot = &table[i % slots];
        uint64_t value = atomic_load_explicit(slot, memory_order_acquire);
        if (value == 0) {
            if (atomic_load_explicit(&reserved, memory_order_relaxed) >= limit) return 0;
            if (!atomic_compare_exchange_strong_explicit(
                    slot, &value, hash, memory_order_acquire, memory_order_acquire)) {
                i--, probed--;
                continue;
            }
            uint32_t index = atomic_fetch_add_explicit(&reserved, 1, memory_order_relaxed);
            // Threads that took several slots at the same time: this one stays without a place.
            if (index >= capacity) return 0;
            places[index] = *new;
            atomic_store_explicit(slot, hash | (index + 1), memory_order_release);
            atomic_store_explicit(&ready[index], 1, memory_order_release);
            sem_post(&new_places);
            return index + 1;
        }
        // Another thread is writing the place; a few reads later it usually has. If not, the report looks it up itself.
        for (int k = 0; k < attempts && value == hash; k++) value = atomic_load_explicit(slot, memory_order_acquire);
        if (value == hash) return 0;
        if ((value & ~(uint64_t)0xFFFF) == hash && is_same(&places[(value & 0xFFFF) - 1], new)) return value & 0xFFFF;
    }
    return 0;
}

uint32_t places_number(const error_origins_stack *stack) {
    place new = {.are_alternatives = stack->are_alternatives};
    memcpy(new.at, stack->at, sizeof new.at);
    uint32_t number = number_of(&new, with_callers);
    if (number || new.are_alternatives) return number;
    memset(&new.at[1], 0, sizeof new.at - sizeof new.at[0]);
    return number_of(&new, capacity);
}

static int count_of(const uintptr_t at[depth]) {
    int count = 0;
    while (count < depth && at[count]) count++;
    return count;
}

error_origins_stack error_origins_place(uint32_t number) {
    error_origins_stack stack = {0};
    if (number == 0 || number > capacity) return stack;
    if (!atomic_load_explicit(&ready[number - 1], memory_order_acquire)) return stack;
    memcpy(stack.at, places[number - 1].at, sizeof stack.at);
    stack.are_alternatives = places[number - 1].are_alternatives;
    stack.count = count_of(stack.at);
    return stack;
}

void places_prepare(void) {
    if (!has_semaphore) sem_init(&new_places, 0, 0);
    has_semaphore = true;
}

uint32_t error_origins_wait(uint32_t known) {
    for (;;) {
        uint32_t count = known;
        while (count < capacity && atomic_load_explicit(&ready[count], memory_order_acquire)) count++;
        if (count > known) return count;
        while (sem_wait(&new_places) != 0) {}
    }
}

uint32_t error_origins_capacity(void) { return capacity; }
uintptr_t places_size(void) { return sizeof places + sizeof table + sizeof ready; }
#endif
