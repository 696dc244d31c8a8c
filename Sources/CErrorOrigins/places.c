// The places of posted errors, each once: a report has its number. A place is never removed, so that a number means the
// same as long as the process runs; memory is bounded, because further places have no number.
#include "origins.h"

#if ERROR_ORIGINS_AVAILABLE
#include <semaphore.h>

enum { capacity = 1024, slots = 2048 };

/// A place's address by its number, from 1.
static _Atomic uintptr_t places[capacity + 1];
/// The addresses, to find their numbers.
static _Atomic uintptr_t addresses[slots];
static _Atomic uint32_t numbers[slots];
static _Atomic uint32_t reserved;
static sem_t new_places;
static bool is_prepared;

void places_prepare(void) {
    if (!is_prepared) sem_init(&new_places, 0, 0);
    is_prepared = true;
}

uint32_t places_number(uintptr_t address) {
    uint32_t index = (uint32_t)(address * (uintptr_t)0x9E3779B97F4A7C15 >> 40);
    for (uint32_t probed = 0; probed < slots; probed++, index++) {
        _Atomic uintptr_t *slot = &addresses[index % slots];
        uintptr_t present = atomic_load_explicit(slot, memory_order_relaxed);
        if (present == 0) {
            if (atomic_load_explicit(&reserved, memory_order_relaxed) >= capacity) return 0;
            if (atomic_compare_exchange_strong(slot, &present, address)) {
                uint32_t number = atomic_fetch_add(&reserved, 1) + 1;
                // Several threads took slots at the same time.
                if (number > capacity) return 0;
                atomic_store_explicit(&places[number], address, memory_order_release);
                atomic_store_explicit(&numbers[index % slots], number, memory_order_release);
                sem_post(&new_places);
                return number;
            }
        }
        // 0 while another thread stores the number: the report then looks up the place itself.
        if (present == address) return atomic_load_explicit(&numbers[index % slots], memory_order_acquire);
    }
    return 0;
}

uintptr_t error_origins_place(uint32_t number) {
    return number > capacity ? 0 : atomic_load_explicit(&places[number], memory_order_acquire);
}

uint32_t error_origins_wait(uint32_t known) {
    for (;;) {
        uint32_t count = known;
        while (count < capacity && error_origins_place(count + 1)) count++;
        if (count > known) return count;
        while (sem_wait(&new_places) != 0) {}
    }
}

uint32_t error_origins_capacity(void) { return capacity; }
uintptr_t places_size(void) { return sizeof places + sizeof addresses + sizeof numbers; }
#endif
