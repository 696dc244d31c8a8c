extension MatcherShape {
    /// The type that an error must have to match; nil if errors of other types, such as subclasses, can match too.
    var requiredType: ObjectIdentifier? {
        firstRequired { part in
            switch part {
            case .type(let type), .extracting(let type): Self.exactType(type)
            // Use the static type of the box: the runtime takes longer to return a value's own type, and for an object
            // neither type is exact.
            case .value(let value): Self.exactType(UnboxedError.contentType(of: value))
            default: nil
            }
        }
    }

    /// Returns the type that an error must have exactly; nil if matching errors might have other types.
    static func exactType(_ type: Any.Type) -> ObjectIdentifier? {
        type is AnyClass || NSErrorBridge.isBridged(type) || type == (any Error).self ? nil : ObjectIdentifier(type)
    }

    /// The part that an index can look up, a `value` or an `nsError` that an error must match; nil if there is none.
    var key: MatcherShape? {
        firstRequired { part in
            switch part {
            case .value, .nsError: part
            default: nil
            }
        }
    }

    /// Returns a closure's first result for a part that every matching error must match.
    ///
    /// At most ``partLimit`` parts are tried, in order. A rule whose required part isn't found is only slower.
    private func firstRequired<Result>(_ read: (MatcherShape) -> Result?) -> Result? {
        var budget = Self.partLimit
        func first(in shape: MatcherShape) -> Result? {
            budget -= 1
            if budget < 0 { return nil }
            switch shape {
            case .named(_, let inner), .narrowed(let inner): return first(in: inner)
            case .both(let parts):
                for part in parts { if let result = first(in: part) { return result } }
                return nil
            case .type, .any, .value, .nsError, .conforming, .extracting, .predicate, .anywhere, .either, .not,
                .cancellation:
                return read(shape)
            }
        }
        return first(in: self)
    }
}
