// The function types that are used from LLVM's indexstore/indexstore.h. Swift looks these functions up by name at run
// time. Those that take or return a structure can be called only if C has declared their types.
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

// Functions that open a store, or a unit or record of a store by name.
typedef indexstore_object_t (*indexstore_store_create_t)(const char *path, indexstore_error_t *);
typedef indexstore_object_t (*indexstore_reader_create_t)(
    indexstore_object_t store, const char *name, indexstore_error_t *);

// Functions that return a property of an object: a text, flags, another object, a place.
typedef indexstore_string_ref_t (*indexstore_get_string_t)(indexstore_object_t);
typedef uint64_t (*indexstore_get_roles_t)(indexstore_object_t);
typedef indexstore_object_t (*indexstore_get_object_t)(indexstore_object_t);
typedef void (*indexstore_get_line_col_t)(indexstore_object_t, unsigned *line, unsigned *column);
typedef void (*indexstore_get_time_t)(indexstore_object_t, int64_t *seconds, int64_t *nanoseconds);
typedef int (*indexstore_get_kind_t)(indexstore_object_t);

// Functions that call an applier for each of an object's parts. The applier returns whether to continue.
typedef bool (*indexstore_name_applier_t)(void *context, indexstore_string_ref_t);
typedef bool (*indexstore_units_apply_t)(
    indexstore_object_t store, unsigned sorted, void *context, indexstore_name_applier_t);
typedef bool (*indexstore_object_applier_t)(void *context, indexstore_object_t);
typedef bool (*indexstore_objects_apply_t)(indexstore_object_t, void *context, indexstore_object_applier_t);

#endif
