import ErrorRouting
import Foundation

/// The errors that the tests of matching and handling use, one of each kind.
enum Zoo {
    /// An enum with payloads that can be compared and hashed.
    enum Payment: Error, Hashable {
        case declined(code: Int)
        case expired
        case unavailable
    }

    /// An enum with payloads that can be compared but not hashed.
    enum Shade: Error, Equatable {
        case dark(Int)
        case light
    }

    /// An enum that can be neither compared nor hashed.
    enum Opaque: Error {
        case coded(Int)
        case plain
    }

    struct Timeout: Error, Equatable {
        var seconds = 30
    }

    struct Offline: Error {}

    struct Box<Content: Sendable>: Error {
        var content: Content
    }

    /// An error that doesn't equal itself if its value is NaN.
    struct Reading: Error, Equatable {
        var value: Double
    }

    // Immutable, so it is safe to share. The compiler can't check that for a class that isn't final.
    class Animal: Error, @unchecked Sendable {
        let name: String

        init(_ name: String = "") { self.name = name }
    }

    class Bird: Animal, @unchecked Sendable {}

    final class Owl: Bird, @unchecked Sendable {}

    // Immutable, like `NSError` itself.
    final class NSErrorSubclass: NSError, @unchecked Sendable {}

    struct Localized: LocalizedError, Equatable {
        var errorDescription: String?
    }

    /// A Swift error with its own domain and code.
    struct Foreign: CustomNSError {
        static let errorDomain = "zoo.foreign"
        var errorCode = 7
    }

    /// An error with an error in a field.
    struct Wrapped: Error {
        var content: any Error
    }

    /// An error with an error in a case's payload.
    enum Failure: Error {
        case failed(code: Int, reason: any Error)
    }

    /// An error with errors in an array of structs that aren't errors.
    struct Journal: Error {
        struct Entry { var number: Int; var error: any Error }

        var entries: [Entry]
    }

    /// An error that returns its underlying errors itself.
    struct Group: UnderlyingErrorsProviding {
        var underlyingErrors: [any Error]
    }

    /// An operation that can be retried.
    protocol Retryable: Sendable {}
}

extension Zoo.Timeout: Zoo.Retryable {}
extension Zoo.Shade: Zoo.Retryable {}
extension Zoo.Bird: Zoo.Retryable {}
extension Zoo.Localized: Zoo.Retryable {}
