// What is used of LLVM's indexstore/indexstore.h, as types of functions: Swift can name a C function that it looks up by
// name, but not one that takes or returns a structure, unless C has declared its type.
#ifndef LAYERING_CINDEXSTORE_H
#define LAYERING_CINDEXSTORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Not terminated by a zero.
typedef struct {
    const char *data;
    size_t length;
} indexstore_string_ref_t;

typedef void *indexstore_error_t;
typedef void *indexstore_object_t;

typedef const char *(*indexstore_error_get_description_t)(indexstore_error_t);
typedef void (*indexstore_error_dispose_t)(indexstore_error_t);
typedef void (*indexstore_dispose_t)(indexstore_object_t);

// A store; a unit or a record of a store, by name.
typedef indexstore_object_t (*indexstore_store_create_t)(const char *path, indexstore_error_t *);
typedef indexstore_object_t (*indexstore_reader_create_t)(
    indexstore_object_t store, const char *name, indexstore_error_t *);

// What an object has: a text, flags, another object, a place.
typedef indexstore_string_ref_t (*indexstore_get_string_t)(indexstore_object_t);
typedef uint64_t (*indexstore_get_roles_t)(indexstore_object_t);
typedef indexstore_object_t (*indexstore_get_object_t)(indexstore_object_t);
typedef void (*indexstore_get_line_col_t)(indexstore_object_t, unsigned *line, unsigned *column);
typedef void (*indexstore_get_time_t)(indexstore_object_t, int64_t *seconds, int64_t *nanoseconds);
typedef int (*indexstore_get_kind_t)(indexstore_object_t);

// What an object has many of. The applier says whether to go on.
typedef bool (*indexstore_name_applier_t)(void *context, indexstore_string_ref_t);
typedef bool (*indexstore_units_apply_t)(
    indexstore_object_t store, unsigned sorted, void *context, indexstore_name_applier_t);
typedef bool (*indexstore_object_applier_t)(void *context, indexstore_object_t);
typedef bool (*indexstore_objects_apply_t)(indexstore_object_t, void *context, indexstore_object_applier_t);

#endif
