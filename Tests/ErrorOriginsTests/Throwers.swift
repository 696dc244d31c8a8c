import CErrorOrigins
import CForeignHook

struct Numbered: Error, Equatable { let number: Int }

final class Object: Error {
    let number: Int

    init(_ number: Int) { self.number = number }
}

enum Typed: Error, Equatable {
    case number(Int)
    case text(String)
    case down
}

/// Functions that throw, each with the address of a call in front of its `throw`.
enum Throwers {
    @inline(never)
    static func first(_ number: Int, here: inout UInt) throws {
        here = error_origins_here()
        throw Numbered(number: number)
    }

    @inline(never)
    static func second(_ number: Int, here: inout UInt) throws {
        here = error_origins_here()
        throw Numbered(number: number)
    }

    @inline(never)
    static func typed(_ error: Typed, here: inout UInt) throws(Typed) {
        here = error_origins_here()
        throw error
    }

    @inline(never)
    static func untyped(_ error: any Error, here: inout UInt) throws {
        here = error_origins_here()
        throw error
    }

    @inline(never)
    @concurrent
    static func suspending(_ number: Int) async throws -> Never {
        await Task.yield()
        throw Numbered(number: number)
    }
}

/// A hook of somebody else, which counts its calls and calls the one that was there before.
enum ForeignHook {
    static func putInFront() { foreign_hook_put_in_front() }
    static var calls: Int { Int(foreign_hook_calls()) }
}
