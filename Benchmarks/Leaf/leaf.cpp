// Creates an error of the eighth of eight types, which the last of eight handlers handles, with Boost.LEAF and without
// exceptions. Prints the nanoseconds of one such round. compare-leaf.sh alternates it with the Swift program.
#include <boost/leaf.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace leaf = boost::leaf;

struct E1 { int code; };
struct E2 { int code; };
struct E3 { int code; };
struct E4 { int code; };
struct E5 { int code; };
struct E6 { int code; };
struct E7 { int code; };
struct E8 { int code; };

// Does nothing with a value, but the compiler must assume that it is used.
template <typename Value>
inline void consume(Value const &value) {
    asm volatile("" : : "g"(&value) : "memory");
}

__attribute__((noinline)) leaf::result<int> failing(int code) { return leaf::new_error(E8{code}); }

__attribute__((noinline)) int handled(int code) {
    return leaf::try_handle_all(
        [&] { return failing(code); },
        [](E1 const &error) { consume(error.code); return 1; },
        [](E2 const &error) { consume(error.code); return 2; },
        [](E3 const &error) { consume(error.code); return 3; },
        [](E4 const &error) { consume(error.code); return 4; },
        [](E5 const &error) { consume(error.code); return 5; },
        [](E6 const &error) { consume(error.code); return 6; },
        [](E7 const &error) { consume(error.code); return 7; },
        [](E8 const &error) { consume(error.code); return 8; },
        [] { return 0; });
}

int main(int count, char **arguments) {
    long const rounds = count > 1 ? std::atol(arguments[1]) : 1000000;
    long sum = 0;
    auto const start = std::chrono::steady_clock::now();
    for (long round = 0; round < rounds; ++round) sum += handled(static_cast<int>(round));
    auto const time = std::chrono::steady_clock::now() - start;
    if (sum != 8 * rounds) {
        std::fprintf(stderr, "leaf: an error was not handled by its handler\n");
        return 70;
    }
    std::printf("%.2f\n", std::chrono::duration<double, std::nano>(time).count() / static_cast<double>(rounds));
}
