import ErrorRouting
import Foundation

/// The errors that the tests of matching and handling throw at the library: one of each kind.
enum Zoo {
    /// An enum with payloads that can be compared and hashed.
    enum Payment: Error, Hashable {
        case declined(code: Int)
        case expired
        case unavailable
    }

    /// An enum with payloads that can be compared, not hashed.
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

    /// An error that does not equal itself where its value is not a number.
    struct Reading: Error, Equatable {
        var value: Double
    }

    // Immutable, so safe to share: what a class that is not final cannot say without being believed.
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

    /// A Swift error with domain and code of its own.
    struct Foreign: CustomNSError {
        static let errorDomain = "zoo.foreign"
        var errorCode = 7
    }

    /// An error with an error in a field.
    struct Wrapped: Error {
        var content: any Error
    }

    /// An error with an error in the payload of a case.
    enum Failure: Error {
        case failed(code: Int, reason: any Error)
    }

    /// An error with errors in an array of structs that are no errors.
    struct Journal: Error {
        struct Entry { var number: Int; var error: any Error }

        var entries: [Entry]
    }

    /// An error that says itself what is under it.
    struct Group: UnderlyingErrors {
        var underlyingErrors: [any Error]
    }

    /// What may be tried again.
    protocol Retryable: Sendable {}
}

extension Zoo.Timeout: Zoo.Retryable {}
extension Zoo.Shade: Zoo.Retryable {}
extension Zoo.Bird: Zoo.Retryable {}
extension Zoo.Localized: Zoo.Retryable {}
