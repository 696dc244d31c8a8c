internal import CErrorOrigins

/// Throws errors, and compares the recorded place with that of the call before the throw.
enum OriginSelfTest {
    /// Returns what is wrong; nil if all places are right.
    static func failure() -> String? {
        guard isLayoutRight else { return "the runtime describes types in an unknown way" }
        for thrower in [throwFirst, throwSecond] {
            // Throws of other threads can replace an entry before it is found.
            let distances = (0..<10).lazy.compactMap { _ in distance(thrower) }
            guard let distance = distances.first else { return "the self-test found no place" }
            if distance >= 1_024 { return "the self-test found another place" }
        }
        return lookUp(Small(number: 3)) == 0 ? nil : "an error that wasn't thrown has a place"
    }

    /// Returns how far an error's recorded place is from a call just before its throw; nil if no place is recorded.
    private static func distance(_ thrower: (inout UInt) throws -> Void) -> UInt? {
        var here: UInt = 0
        // error-audit: harmless, because the error is thrown here for the test
        do { try thrower(&here) } catch {
            let place = lookUp(error)
            return place == 0 ? nil : max(place, here) - min(place, here)
        }
        return nil
    }

    /// Returns the recorded place of an error, which is retained until then.
    private static func lookUp(_ error: any Error) -> UInt {
        withExtendedLifetime(error) {
            // Coerce it: a generic function that is passed `any Error` might receive the content of its box.
            unsafe error_origins_look_up(unsafeBitCast(error as any Error, to: UnsafeRawPointer.self))
        }
    }

    // MARK: Errors

    private struct Small: Error { let number: Int }

    private final class Object: Error {
        let (first, second, third) = (1, 2, 3)
    }

    @inline(never)
    private static func throwFirst(_ here: inout UInt) throws {
        here = error_origins_here()
        throw Small(number: 1)
    }

    @inline(never)
    private static func throwSecond(_ here: inout UInt) throws {
        here = error_origins_here()
        throw Object()
    }

    /// Whether the hook reads of a type's metadata what the standard library gives.
    private static var isLayoutRight: Bool {
        func layout(_ type: any Error.Type) -> error_origins_layout {
            unsafe error_origins_layout_of(unsafeBitCast(type as Any.Type, to: UnsafeRawPointer.self))
        }
        let (small, object) = (layout(Small.self), layout(Object.self))
        return small.size == MemoryLayout<Small>.size && !small.is_class && object.is_class
    }
}
