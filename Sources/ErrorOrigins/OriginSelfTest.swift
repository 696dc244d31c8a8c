internal import CErrorOrigins

/// Throws one error of each sort, and compares the recorded place with that of the call before the throw.
enum OriginSelfTest {
    /// Returns what is wrong; nil if all places are right.
    static func failure() -> String? {
        if let wrong = layoutFailure() { return wrong }
        let throwers: [(String, (inout UInt) throws -> Void)] = [
            ("an error", throwBoxed), ("an object", throwObject),
            ("a typed error", { here in try throwTyped(1, &here) }),
            ("a generic error", { here in try throwGeneric(Boxed(number: 2), &here) }),
        ]
        // In an unoptimized program, a function of the runtime is between the throw and the hook.
        if case .below(let address) = place(of: { here in try throwTyped(0, &here) }) {
            error_origins_leave_out(address)
        }
        for (sort, thrower) in throwers {
            switch place(of: thrower) {
            case .right: continue
            case .below, .wrong: return "the self-test of \(sort) found another place"
            case .unknown: return "the self-test of \(sort) found no place"
            }
        }
        let never = Boxed(number: 3)
        guard lookUp(never).count == 0 else {
            return "the self-test of an error that wasn't thrown found a place"
        }
        return nil
    }

    private enum Place { case right, below(UInt), wrong, unknown }

    /// Compares the recorded place of an error with that of the call before its throw.
    private static func place(of thrower: (inout UInt) throws -> Void) -> Place {
        var here: UInt = 0
        do { try thrower(&here) } catch {
            let stack = lookUp(error)
            func isNear(_ address: UInt) -> Bool { abs(Int(address) - Int(here)) < 1_024 }
            if stack.count == 0 { return .unknown }
            if isNear(stack.at.0) { return .right }
            return isNear(stack.at.1) ? .below(stack.at.0) : .wrong
        }
        return .unknown
    }

    /// Returns the recorded place of an error, which is retained until then.
    private static func lookUp(_ error: any Error) -> error_origins_stack {
        withExtendedLifetime(error) {
            // Coerce it: a generic function that is passed `any Error` might receive the content of its box.
            unsafe error_origins_look_up(unsafeBitCast(error as any Error, to: UnsafeRawPointer.self))
        }
    }

    // MARK: Sorts of errors

    private struct Boxed: Error { let number: Int }

    private enum Typed: Error { case failed(Int) }

    private final class Object: Error {
        let (first, second, third) = (1, 2, 3)
    }

    private struct Holding: Error { let object: Object }

    @inline(never)
    private static func throwBoxed(_ here: inout UInt) throws {
        here = error_origins_here()
        throw Boxed(number: 1)
    }

    @inline(never)
    private static func throwTyped(_ number: Int, _ here: inout UInt) throws(Typed) {
        here = error_origins_here()
        throw .failed(number)
    }

    @inline(never)
    private static func throwObject(_ here: inout UInt) throws(Object) {
        here = error_origins_here()
        throw Object()
    }

    @inline(never)
    private static func throwGeneric<Failure: Error>(_ error: Failure, _ here: inout UInt) throws(Failure) {
        here = error_origins_here()
        throw error
    }

    /// What the hook reads of a type's metadata must be what the standard library gives.
    private static func layoutFailure() -> String? {
        func layout(_ type: any Error.Type) -> error_origins_layout {
            unsafe error_origins_layout_of(unsafeBitCast(type as Any.Type, to: UnsafeRawPointer.self))
        }
        let (plain, object, holding) = (layout(Boxed.self), layout(Object.self), layout(Holding.self))
        let isRight =
            plain.size == MemoryLayout<Boxed>.size && plain.is_plain && !plain.is_class
            && holding.size == MemoryLayout<Holding>.size && !holding.is_plain && !holding.is_class
            && object.is_class && object.size == 2 * MemoryLayout<Int>.size + 3 * MemoryLayout<Int>.size
        return isRight ? nil : "the runtime describes types in an unknown way"
    }
}
