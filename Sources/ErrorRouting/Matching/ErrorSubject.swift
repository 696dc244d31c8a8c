import Foundation

/// One error that matchers are called with, with cached results.
///
/// Bridging to `NSError` and walking the underlying errors are the two expensive steps of matchers, so each is done at
/// most once for an error, regardless of the number of rules.
struct ErrorSubject: Sendable {
    let unboxed: UnboxedError
    /// Whether the error is an object.
    let isObject: Bool
    /// The error's dynamic type.
    let type: Any.Type
    private var bridged: NSError?
    /// The chain of the underlying errors; nil until a matcher needs it.
    private var chain: ErrorChain?
    /// The position of the error in the chain.
    private let position: Int

    /// - Parameters:
    ///   - error: The error.
    ///   - chain: The chain that the error is in, if it is known.
    ///   - position: The position of the error in its chain.
    @inline(__always)
    init(_ error: UnboxedError, in chain: ErrorChain? = nil, at position: Int = ErrorChain.root) {
        unboxed = error
        let contentType = UnboxedError.contentType(of: error.error)
        // Call it only for objects: `type(of:)` costs as much as all the rest of this initializer.
        isObject = contentType is AnyClass
        type = isObject ? Swift.type(of: error.error) : contentType
        self.chain = chain
        self.position = position
    }

    @inline(__always)
    var error: any Error { unboxed.error }

    /// Whether the error is an `NSError` object, unlike any Swift error.
    ///
    /// This compares the dynamic type instead of casting, because `as? NSError` fails on Swift structs on Linux and
    /// succeeds with bridging on Apple platforms.
    var isNSErrorObject: Bool { type is NSError.Type }

    /// Returns the error as `as NSError` does, which runs user code: it reads the domain, code, and user info, and on
    /// Linux the texts of a `LocalizedError`.
    mutating func nsError() -> NSError {
        if let bridged { return bridged }
        // An `NSError` object needs no bridging.
        let object = unboxed.content(as: NSError.self) ?? chain?.nsError(at: position) ?? error as NSError
        bridged = object
        return object
    }

    /// Returns the error as `as NSError` does if the result has a matcher's domain and code; nil otherwise.
    ///
    /// - Parameter holds: The matcher's predicate, which decides for an `NSError` object.
    mutating func nsError(where holds: (any Error) -> Bool) -> NSError? {
        guard holds(error) else { return nil }
        let object = nsError()
        if isNSErrorObject { return object }
        TypeDomains.record(type, domain: object.domain)
        return holds(NSErrorBridge.object(object)) ? object : nil
    }

    /// Whether all errors of the error's Swift type have a domain; nil for an `NSError` object, or if the domain isn't
    /// known because user code is nested too deeply.
    mutating func typeHas(domain: String) -> Bool? {
        if isNSErrorObject { return nil }
        if let known = TypeDomains.has(type, domain: domain) { return known }
        guard let entry = PerThread.enterUserCode() else { return nil }
        defer { PerThread.leaveUserCode(entry) }
        let own = nsError().domain
        TypeDomains.record(type, domain: own)
        return own == domain
    }

    /// Returns a matcher's output for the first underlying error that it matches, breadth first.
    mutating func firstUnderlying<Output>(_ match: (inout ErrorSubject) -> Output?) -> Output? {
        let chain = chain ?? ErrorChain(under: unboxed, bridged: bridged)
        self.chain = chain
        for position in chain.positions(under: position) {
            var underlying = ErrorSubject(chain.error(at: position), in: chain, at: position)
            if let output = match(&underlying) { return output }
        }
        return nil
    }
}
