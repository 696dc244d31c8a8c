#pragma once
#include <stdbool.h>
#include <stdint.h>

/// Puts the hooks in front of the runtime's present ones, and begins to record.
///
/// Not to be called by two threads at the same time, or at the same time as the function that stops.
///
/// @return Whether the runtime has the hooks, on a platform where frames can be read.
bool error_origins_start(void);

/// Stops recording; removes each hook that nobody has put another one in front of.
void error_origins_stop(void);

/// Returns the number of the place where the error in a box was thrown; 0 if it is unknown. Never waits.
uint32_t error_origins_find(uintptr_t box);

/// Returns the return address of the throw of the error in a box, without keeping it; 0 if it is unknown.
uintptr_t error_origins_look_up(const void *_Nonnull box);

/// Returns the address of a place by its number; 0 if there is none.
uintptr_t error_origins_place(uint32_t number);

/// Waits until there are more places than a number; for a thread that has nothing else to do.
///
/// @return The number of places; place numbers begin with 1.
uint32_t error_origins_wait(uint32_t known);

/// The greatest number of places.
uint32_t error_origins_capacity(void);

/// How many libraries the process has unloaded.
uint64_t error_origins_unloads(void);

/// Calls a function for each image: its path, where it begins, and where its code ends. The executable is the first.
///
/// The loader is locked during the calls, so the function must not call anything that might use it.
void error_origins_images(
    void *_Nullable context,
    void (*_Nonnull body)(void *_Nullable context, const char *_Nullable path, uintptr_t low, uintptr_t end_of_code));

/// The bytes of all tables.
uintptr_t error_origins_table_size(void);

/// What the hook reads of a type's metadata, for the self-test.
typedef struct {
    uintptr_t size;
    bool is_class;
} error_origins_layout;
error_origins_layout error_origins_layout_of(const void *_Nonnull type);

/// The address of the call, for the self-test.
uintptr_t error_origins_here(void);
