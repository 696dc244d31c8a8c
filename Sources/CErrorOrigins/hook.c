// The two hooks, and how they are put in front of whatever was there.
#include "origins.h"

#if ERROR_ORIGINS_AVAILABLE
void swift_errorRelease(void *box);
typedef struct {
    void *box, *value;
} new_box;
__attribute__((swiftcall)) new_box swift_allocError(
    const void *type, const void *conformance, void *value, bool is_taken);

static _Atomic bool is_recording;
static _Atomic(error_hook *) former;
static _Atomic(typed_error_hook *) former_typed;

/// Returns the size of a box's content; a box of an object contains only a reference.
static uintptr_t size_of_content(const void *box) {
    error_origins_layout layout = layout_of(type_of(box));
    return layout.is_class ? sizeof(void *) : layout.size;
}

__attribute__((noinline)) static void will_throw(void *box) {
    // A hook in front of this one would be taken for the place, so nothing is recorded then.
    if (atomic_load_explicit(&is_recording, memory_order_relaxed)
        && atomic_load_explicit(&_swift_willThrow, memory_order_relaxed) == will_throw)
        throws_record(box, size_of_content(box), __builtin_frame_address(0));
    error_hook *next = atomic_load_explicit(&former, memory_order_acquire);
    if (next) next(box);
}

__attribute__((noinline)) static void will_throw_typed(void *value, const void *type, const void *conformance) {
    // Nothing is recorded: a value has no address by which it could be told from an equal one. Without this hook, the
    // runtime would put each such value into a box for the other one.
    typed_error_hook *next = atomic_load_explicit(&former_typed, memory_order_acquire);
    if (next) return next(value, type, conformance);
    // Without a hook for typed errors, the runtime passes them to the other one, in a box.
    error_hook *untyped = atomic_load_explicit(&_swift_willThrow, memory_order_acquire);
    if (untyped == will_throw) untyped = atomic_load_explicit(&former, memory_order_acquire);
    if (!untyped) return;
    void *box = swift_allocError(type, conformance, value, false).box;
    untyped(box);
    swift_errorRelease(box);
}

/// Whether each hook was put in place and not removed. Somebody else's may be in front of it, which calls it: put in
/// front of that one, it would call itself.
static bool is_in_place, is_typed_in_place;

// The former hook is stored before ours can be called.
#define PUT_IN_FRONT(hook, ours, former)                                                                 \
    do {                                                                                                 \
        __typeof__(ours) *present = atomic_load(&hook);                                                  \
        do atomic_store_explicit(&former, present, memory_order_release);                                \
        while (!atomic_compare_exchange_weak(&hook, &present, ours));                                    \
    } while (0)

#define IS_REMOVED(hook, ours, former)                                                                   \
    ({                                                                                                   \
        __typeof__(ours) *present = ours;                                                                \
        atomic_compare_exchange_strong(&hook, &present, atomic_load(&former));                           \
    })

bool error_origins_start(void) {
    if (!&_swift_willThrow || !&_swift_willThrowTypedImpl) return false;
    places_prepare();
    if (!is_in_place) PUT_IN_FRONT(_swift_willThrow, will_throw, former);
    if (!is_typed_in_place) PUT_IN_FRONT(_swift_willThrowTypedImpl, will_throw_typed, former_typed);
    is_in_place = is_typed_in_place = true;
    atomic_store(&is_recording, true);
    return true;
}

void error_origins_stop(void) {
    atomic_store(&is_recording, false);
    if (is_in_place && IS_REMOVED(_swift_willThrow, will_throw, former)) is_in_place = false;
    if (is_typed_in_place && IS_REMOVED(_swift_willThrowTypedImpl, will_throw_typed, former_typed))
        is_typed_in_place = false;
}

uintptr_t error_origins_table_size(void) { return throws_size() + places_size(); }

uintptr_t error_origins_look_up(const void *box) {
    return throws_find(box, size_of_content(box));
}

uint32_t error_origins_find(uintptr_t box) {
    uintptr_t place = error_origins_look_up((const void *)box);
    return place ? places_number(place) : 0;
}

#else
bool error_origins_start(void) { return false; }
void error_origins_stop(void) {}
uint32_t error_origins_find(uintptr_t box) { return (void)box, 0; }
uintptr_t error_origins_look_up(const void *box) { return (void)box, 0; }
uintptr_t error_origins_place(uint32_t number) { return (void)number, 0; }
uint32_t error_origins_wait(uint32_t known) { return known; }
uint32_t error_origins_capacity(void) { return 0; }
uint64_t error_origins_unloads(void) { return 0; }
uintptr_t error_origins_table_size(void) { return 0; }
void error_origins_images(void *context, void (*body)(void *, const char *, uintptr_t, uintptr_t)) {
    (void)context, (void)body;
}
#endif
