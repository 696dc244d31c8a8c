extension MatcherShape {
    typealias Requirement = (type: ObjectIdentifier?, isOnlyType: Bool)

    /// The type that an error must have to match, and whether the type alone decides.
    ///
    /// The type is nil if errors of other types, such as subclasses, can match too. `isOnlyType` is true if every error
    /// of the type matches and is itself the output; if the type is nil, that holds for every error.
    var requirement: Requirement {
        switch self {
        case .type(let type):
            let type = Self.exactType(type)
            return (type, type != nil)
        case .any: return (nil, true)
        case .named(_, let inner): return inner.requirement
        case .extracting(let type): return (Self.exactType(type), false)
        // Use the static type of the box: the runtime takes longer to return a value's own type, and for an object
        // neither type is exact.
        case .value(let value): return (Self.exactType(UnboxedError.contentType(of: value)), false)
        case .narrowed(let inner): return (inner.requirement.type, false)
        case .both(let parts): return (parts.lazy.compactMap(\.requirement.type).first, false)
        default: return (nil, false)
        }
    }

    /// Returns the type that an error must have exactly; nil if matching errors might have other types.
    static func exactType(_ type: Any.Type) -> ObjectIdentifier? {
        type is AnyClass || NSErrorBridge.isBridged(type) || type == (any Error).self ? nil : ObjectIdentifier(type)
    }

    /// The part that an index can look up, a `value` or an `nsError` that an error must match; nil if there is none.
    var key: MatcherShape? {
        switch self {
        case .value, .nsError: self
        case .named(_, let inner), .narrowed(let inner): inner.key
        case .both(let parts): parts.lazy.compactMap(\.key).first
        default: nil
        }
    }
}
