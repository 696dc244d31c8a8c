import Foundation

/// An error to match, with results that its matchers share.
///
/// Bridging to `NSError` and walking the underlying errors are the two expensive steps of matching. Each is done at
/// most once for an error, regardless of the number of rules.
package struct ErrorSubject: Sendable {
    let unboxed: UnboxedError
    /// Whether the error is an object.
    let isObject: Bool
    /// The error's dynamic type.
    let type: Any.Type
    private var bridged: NSError?
    /// The error with its underlying errors; nil until a matcher needs them.
    private var chain: UnderlyingErrorWalk?
    /// The position of the error in the chain.
    private let position: Int

    /// Creates the subject for an error, and for its position in a chain if the chain is known.
    @inline(__always)
    init(_ error: UnboxedError, in chain: UnderlyingErrorWalk? = nil, at position: Int = UnderlyingErrorWalk.root) {
        unboxed = error
        let contentType = UnboxedError.contentType(of: error.error)
        // Call `type(of:)` only for objects: it costs as much as all other parts of this initializer.
        isObject = contentType is AnyClass
        type = isObject ? Swift.type(of: error.error) : contentType
        self.chain = chain
        self.position = position
    }

    /// Creates the subject for an error.
    package init(_ error: any Error) { self.init(UnboxedError(error)) }

    @inline(__always)
    var error: any Error { unboxed.error }

    /// Whether the error is an `NSError` object; false for every Swift error.
    ///
    /// This property compares the dynamic type instead of casting, because `as? NSError` fails on Swift structs on
    /// Linux and succeeds with bridging on Apple's platforms.
    var isNSErrorObject: Bool { type is NSError.Type }

    /// Returns the result of `error as NSError`.
    ///
    /// This runs user code: bridging reads the domain, code, and user info and, on Linux, the strings of a
    /// `LocalizedError`.
    mutating func nsError() -> NSError {
        if let bridged { return bridged }
        // Read the content first: an `NSError` object needn't be bridged.
        let object = unboxed.content(as: NSError.self) ?? chain?.nsError(at: position) ?? error as NSError
        bridged = object
        return object
    }

    /// Returns the result of `error as NSError` if it has a domain and, if a code is given, that code; otherwise nil.
    mutating func nsError(domain: String, code: Int?) -> NSError? {
        let object = nsError()
        if !isNSErrorObject { TypeDomains.record(type, domain: object.domain) }
        return (code == nil || object.code == code) && object.domain == domain ? object : nil
    }

    /// Returns whether all errors of the error's Swift type have a given domain.
    ///
    /// The result is nil for an `NSError` object, and if the domain is unknown because user code is nested too deeply.
    mutating func typeHas(domain: String) -> Bool? {
        if isNSErrorObject { return nil }
        if let known = TypeDomains.has(type, domain: domain) { return known }
        return PerThread.inUserCode { nsError(domain: domain, code: nil) != nil }
    }

    /// Returns a matcher's output for the first underlying error that it matches, breadth first.
    mutating func firstUnderlying<Output>(_ match: (inout ErrorSubject) -> Output?) -> Output? {
        var chain = chain.take() ?? UnderlyingErrorWalk(finishing: unboxed, bridged: bridged)
        defer { self.chain = chain }
        for position in chain.positions(under: position) {
            var underlying = ErrorSubject(chain.links[position].error, in: chain, at: position)
            // Store the walk again: the matcher might have bridged errors.
            defer { chain = underlying.chain ?? chain }
            if let output = match(&underlying) { return output }
        }
        return nil
    }
}
