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
static const void *_Atomic any_error;

static void record_box(void *box, void **frame) {
    void *value;
    const void *type = type_of(box, &value);
    throws_record(box, layout_of(type).size, frame);
}

__attribute__((noinline)) static void will_throw(void *box) {
    if (atomic_load_explicit(&is_recording, memory_order_relaxed)) record_box(box, __builtin_frame_address(0));
    error_hook *next = atomic_load_explicit(&former, memory_order_acquire);
    if (next) next(box);
}

__attribute__((noinline)) static void will_throw_typed(void *value, const void *type, const void *conformance) {
    if (atomic_load_explicit(&is_recording, memory_order_relaxed)) {
        void **frame = __builtin_frame_address(0);
        if (type == atomic_load_explicit(&any_error, memory_order_relaxed)) {
            record_box(*(void **)value, frame);
        } else {
            error_origins_layout layout = layout_of(type);
            if (layout.is_class) throws_record(*(void **)value, layout.size, frame);
            else values_record(value, type, layout.size, layout.is_plain, frame);
        }
    }
    typed_error_hook *next = atomic_load_explicit(&former_typed, memory_order_acquire);
    if (next) return next(value, type, conformance);
    // Without a hook for typed errors, the runtime passes them to the other one, in a box.
    error_hook *untyped = atomic_load_explicit(&former, memory_order_acquire);
    if (!untyped) return;
    void *box = swift_allocError(type, conformance, value, false).box;
    untyped(box);
    swift_errorRelease(box);
}

/// Whether a hook of ours was put in place and not removed: somebody else's may be in front of it.
static bool is_in_place;

// The former hook is stored before ours can be called.
#define PUT_IN_FRONT(hook, ours, former)                                        \
    do {                                                                        \
        __typeof__(ours) *present = atomic_load(&hook);                         \
        do {                                                                    \
            if (present == ours) break;                                         \
            atomic_store_explicit(&former, present, memory_order_release);      \
        } while (!atomic_compare_exchange_weak(&hook, &present, ours));         \
    } while (0)

#define IS_REMOVED(hook, ours, former)                                          \
    ({                                                                          \
        __typeof__(ours) *present = ours;                                       \
        atomic_compare_exchange_strong(&hook, &present, atomic_load(&former));  \
    })

bool error_origins_start(const void *metadata, bool again) {
    if (!&_swift_willThrow || !&_swift_willThrowTypedImpl) return false;
    stack_prepare();
    places_prepare();
    atomic_store(&any_error, metadata);
    atomic_store(&is_recording, true);
    // A hook in front of ours calls ours: in front of that one, ours would call itself.
    if (is_in_place && !again) return true;
    is_in_place = true;
    PUT_IN_FRONT(_swift_willThrow, will_throw, former);
    PUT_IN_FRONT(_swift_willThrowTypedImpl, will_throw_typed, former_typed);
    return true;
}

void error_origins_stop(void) {
    atomic_store(&is_recording, false);
    bool is_removed = IS_REMOVED(_swift_willThrow, will_throw, former);
    if (IS_REMOVED(_swift_willThrowTypedImpl, will_throw_typed, former_typed) && is_removed) is_in_place = false;
}

uintptr_t error_origins_table_size(void) { return throws_size() + values_size() + places_size(); }

bool error_origins_is_recording(void) { return atomic_load(&is_recording); }

static bool find(const void *box, error_origins_stack *stack) {
    void *value;
    const void *type = type_of(box, &value);
    error_origins_layout layout = layout_of(type);
    stack->are_alternatives = false;
    if (throws_find(box, layout.size, stack->at)) return true;
    if (layout.is_class) return throws_find(*(void **)value, layout.size, stack->at);
    return values_find(value, type, layout.size, stack);
}

uint32_t error_origins_find(uintptr_t box) {
    error_origins_stack stack;
    return find((const void *)box, &stack) ? places_number(&stack) : 0;
}

error_origins_stack error_origins_look_up(const void *box) {
    error_origins_stack stack = {0};
    if (!find(box, &stack)) return (error_origins_stack){0};
    while (stack.count < depth && stack.at[stack.count]) stack.count++;
    return stack;
}

#else
void error_origins_leave_out(uintptr_t address) { (void)address; }
bool error_origins_start(const void *metadata, bool again) { return (void)metadata, (void)again, false; }
bool error_origins_is_recording(void) { return false; }
void error_origins_stop(void) {}
uint32_t error_origins_find(uintptr_t box) { return (void)box, 0; }
error_origins_stack error_origins_look_up(const void *box) { return (void)box, (error_origins_stack){0}; }
error_origins_stack error_origins_place(uint32_t number) { return (void)number, (error_origins_stack){0}; }
uint32_t error_origins_wait(uint32_t known) { return known; }
uint32_t error_origins_capacity(void) { return 0; }
void error_origins_images(void *context, void (*body)(void *, const char *, uintptr_t, uintptr_t)) {
    (void)context, (void)body;
}
uintptr_t error_origins_table_size(void) { return 0; }
#endif
