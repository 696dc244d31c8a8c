#pragma once
/// Puts a hook for throws in front of the present one, which it calls.
void foreign_hook_put_in_front(void);
/// How often that hook was called.
long foreign_hook_calls(void);
