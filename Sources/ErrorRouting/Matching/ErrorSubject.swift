import Foundation

/// One error on its way past the matchers, with what they found out about it so far.
///
/// Bridging to `NSError` and walking the underlying errors are the two dear things that matchers do, so each is done at
/// most once for an error, whatever the number of rules.
struct ErrorSubject: Sendable {
    /// The error, in one box.
    let error: any Error
    /// The type of what is in the box: the error's own, or a class that it inherits from.
    private let contentType: Any.Type
    /// The error's own type.
    let type: Any.Type
    private var bridged: NSError?
    /// The errors under it, once someone has asked.
    private var chain: ErrorChain?
    /// Where it stands in the chain.
    private let place: Int

    @inline(__always)
    init(_ error: any Error) {
        self.init(error, in: nil, at: ErrorChain.root)
    }

    /// One of the errors under another one.
    init(_ place: Int, in chain: ErrorChain) {
        self.init(chain.error(at: place), in: chain, at: place)
    }

    @inline(__always)
    private init(_ error: any Error, in chain: ErrorChain?, at place: Int) {
        var error = error
        var contentType = ErrorBox.contentType(of: error)
        if contentType == (any Error).self {
            error = ErrorBox.unboxed(error)
            contentType = ErrorBox.contentType(of: error)
        }
        self.error = error
        self.contentType = contentType
        // Only an object is asked, since `type(of:)` costs as much as all the rest.
        type = contentType is AnyClass ? Swift.type(of: error) : contentType
        self.chain = chain
        self.place = place
    }

    /// Whether the error is an `NSError` object, which no Swift error is.
    ///
    /// Asked of the dynamic type: on Linux `as? NSError` fails on Swift structs, on Apple platforms it succeeds by
    /// bridging, and neither is what is meant.
    var isNSErrorObject: Bool { type is NSError.Type }

    /// Whether a type is that of what is in the box, or any error's.
    @inline(__always)
    func isExactly<Output>(_ type: Output.Type) -> Bool {
        contentType == type || type == (any Error).self
    }

    /// The error as a type that it is known to have, without asking the runtime again.
    ///
    /// - Precondition: ``isExactly(_:)``, or the type is a class and the error's dynamic type inherits from it.
    @unsafe @inline(__always)
    func error<Output>(as type: Output.Type) -> Output {
        assert(
            isExactly(type) || type is AnyClass && self.type is Output.Type,
            "\(contentType) was taken for \(type)"
        )
        return unsafe Self.content(of: error, as: type)
    }

    /// What is in an error's box, which is known to have a type.
    @unsafe @inline(__always)
    static func content<Output>(of error: any Error, as type: Output.Type) -> Output {
        // By its address: a generic function that is handed the error may be handed what is in it.
        if type == (any Error).self {
            return unsafe withUnsafePointer(to: error) { error in
                unsafe UnsafeRawPointer(error).assumingMemoryBound(to: Output.self).pointee
            }
        }
        func project<Content: Error>(_ content: Content) -> Output { unsafe unsafeBitCast(content, to: Output.self) }
        // Opened explicitly: `any Error` conforms to `Error` itself, so a plain call would pass the existential.
        return _openExistential(error, do: project)
    }

    /// The error as `as NSError` gives it.
    ///
    /// An error that asks the library about itself while it is bridged, too often, is one of no domain.
    mutating func nsError() -> NSError {
        bridgedIfAllowed() ?? NSError(domain: "", code: 0)
    }

    /// The error as `as NSError` gives it; nil if it must not be asked, since it is asking about itself.
    mutating func bridgedIfAllowed() -> NSError? {
        if let bridged { return bridged }
        // What is one already need not be bridged.
        bridged =
            contentType == NSError.self
            ? unsafe error(as: NSError.self) : chain?.nsError(at: place) ?? NSErrorBridge.bridged(error)
        return bridged
    }

    /// What a matcher makes of the first of the errors under this one that it matches, breadth first.
    mutating func firstUnderlying<Output>(_ match: (inout ErrorSubject) -> Output?) -> Output? {
        let chain = chain ?? ErrorChain(under: error, bridged: bridged)
        self.chain = chain
        for place in chain.places(under: place) {
            var underlying = ErrorSubject(place, in: chain)
            if let output = match(&underlying) { return output }
        }
        return nil
    }
}
