#pragma once
#include <stdbool.h>
#include <stdint.h>

/// The number of return addresses that are kept for each throw.
enum { error_origins_depth = 8 };

/// The return addresses of a throw, the innermost first.
typedef struct {
    uintptr_t at[error_origins_depth];
    /// The number of addresses; 0 if the place is unknown.
    int32_t count;
    /// Whether the addresses are the places of equal errors, instead of one place and its callers.
    bool are_alternatives;
} error_origins_stack;

/// Puts the hooks in front of the runtime's present ones, and begins to record.
///
/// Not to be called by two threads at the same time, or at the same time as the function that stops.
///
/// @param any_error The metadata of `any Error`.
/// @param again Whether to put them there although they were before: somebody has removed them.
/// @return Whether the runtime has the hooks, on a platform where frames can be read.
bool error_origins_start(const void *_Nonnull any_error, bool again);

/// Whether throws are recorded now.
bool error_origins_is_recording(void);

/// Stops recording; removes each hook that nobody has put another one in front of.
void error_origins_stop(void);

/// Returns the number of the place where the error in a box was thrown; 0 if it is unknown. Never waits.
uint32_t error_origins_find(uintptr_t box);

/// Returns the addresses of the throw of the error in a box, without keeping them.
error_origins_stack error_origins_look_up(const void *_Nonnull box);

/// Returns the addresses of a place by its number.
error_origins_stack error_origins_place(uint32_t number);

/// Waits until there are more places than a number; for a thread that has nothing else to do.
///
/// @return The number of places; place numbers begin with 1.
uint32_t error_origins_wait(uint32_t known);

/// The greatest number of places.
uint32_t error_origins_capacity(void);

/// Leaves out a return address in a copy of the runtime's function for typed throws, which an unoptimized program has in
/// each image.
void error_origins_leave_out(uintptr_t address);

/// Calls a function for each image: its path, where it begins, and where its code ends.
void error_origins_images(
    void *_Nullable context,
    void (*_Nonnull body)(void *_Nullable context, const char *_Nullable path, uintptr_t low, uintptr_t end_of_code));

/// The bytes of all tables.
uintptr_t error_origins_table_size(void);

/// What the hook reads of a type's metadata, for the self-test.
typedef struct {
    uintptr_t size;
    bool is_class, is_plain;
} error_origins_layout;
error_origins_layout error_origins_layout_of(const void *_Nonnull type);

/// The address of the call, for the self-test.
uintptr_t error_origins_here(void);
