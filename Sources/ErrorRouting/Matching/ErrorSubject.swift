import Foundation

/// One error on its way past the matchers, with what they found out about it so far.
///
/// Bridging to `NSError` and walking the underlying errors are the two dear things that matchers do, so each is done at
/// most once for an error, whatever the number of rules.
struct ErrorSubject {
    let error: any Error
    private var bridged: NSError?
    private var underlying: [any Error]?

    init(_ error: any Error) {
        self.error = error
    }

    /// Whether the error is an `NSError` object, which no Swift error is.
    ///
    /// Asked of the dynamic type: on Linux `as? NSError` fails on Swift structs, on Apple platforms it succeeds by
    /// bridging, and neither is what is meant.
    var isNSErrorObject: Bool { type(of: error) is NSError.Type }

    /// The error as the type that it is known to have, or as `any Error`, without asking the runtime again.
    ///
    /// - Precondition: `Output` is the error's dynamic type, a superclass of it, or `any Error`.
    func error<Output>(as type: Output.Type) -> Output {
        if type == (any Error).self { return unsafe unsafeBitCast(error, to: type) }
        func project<Dynamic: Error>(_ error: Dynamic) -> Output { unsafe unsafeBitCast(error, to: Output.self) }
        // Opened explicitly: `any Error` conforms to `Error` itself, so a plain call would pass the existential.
        return _openExistential(error, do: project)
    }

    /// The error as `as NSError` gives it.
    mutating func nsError() -> NSError {
        if let bridged { return bridged }
        let bridged = error as NSError
        self.bridged = bridged
        return bridged
    }

    /// The errors under this one, breadth first, without itself.
    mutating func underlyingErrors() -> [any Error] {
        if let underlying { return underlying }
        let underlying = UnderlyingErrorWalk.errors(under: error)
        self.underlying = underlying
        return underlying
    }
}
