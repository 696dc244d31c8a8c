extension MatcherShape {
    /// The type that an error must have to match; nil if errors of other types, such as subclasses, might match too.
    ///
    /// Of `&&`, this is the first matcher's type.
    var requiredType: ObjectIdentifier? {
        switch self {
        case .type(let type), .extracting(let type): Self.exactType(type)
        // Use the static type of the box: the runtime takes longer to return a value's own type, and for an object
        // neither type is exact.
        case .value(let value): Self.exactType(UnboxedError.contentType(of: value))
        case .named(_, let inner), .narrowed(let inner): inner.requiredType
        // Don't read all parts: a matcher that is combined with itself often has exponentially many.
        case .both(let parts): parts.first?.requiredType
        case .any, .nsError, .conforming, .predicate, .anywhere, .either, .not, .cancellation: nil
        }
    }

    /// Returns the type that an error must have exactly; nil if matching errors might have other types.
    static func exactType(_ type: Any.Type) -> ObjectIdentifier? {
        type is AnyClass || NSErrorBridge.isBridged(type) || type == (any Error).self ? nil : ObjectIdentifier(type)
    }

    /// The part that an index can look up, a `value` or an `nsError` that an error must match; nil if there is none.
    ///
    /// Of `&&`, this is the first matcher's part.
    var key: MatcherShape? {
        switch self {
        case .value, .nsError: self
        case .named(_, let inner), .narrowed(let inner): inner.key
        case .both(let parts): parts.first?.key
        case .type, .any, .conforming, .extracting, .predicate, .anywhere, .either, .not, .cancellation: nil
        }
    }
}
