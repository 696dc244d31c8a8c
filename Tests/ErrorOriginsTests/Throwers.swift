import CErrorOrigins

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
    static func object(_ number: Int, here: inout UInt) throws(Object) {
        here = error_origins_here()
        throw Object(number)
    }

    @inline(never)
    static func typed(_ error: Typed, here: inout UInt) throws(Typed) {
        here = error_origins_here()
        throw error
    }

    @inline(never)
    static func typedElsewhere(_ error: Typed, here: inout UInt) throws(Typed) {
        here = error_origins_here()
        throw error
    }

    @inline(never)
    static func untyped(_ error: any Error, here: inout UInt) throws {
        here = error_origins_here()
        throw error
    }

    @inline(never)
    static func generic<Failure: Error>(_ error: Failure, here: inout UInt) throws(Failure) {
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
