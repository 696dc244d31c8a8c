import Foundation

/// The `NSError` domains of Swift types, each read at most once during the life of the process.
///
/// Bridging an error only for its domain costs twenty times as much as a dispatch, and all errors of one Swift type
/// have the same domain. Each `NSError` object has its own domain, so its class is never in the table.
enum TypeDomains {
    private static let table = TypeTable<Box<String>>()

    /// Records the domain of a Swift type unless it is already known.
    static func record(_ type: Any.Type, domain: String) {
        if table[type] == nil { _ = table.insert(Box(domain), for: type) }
    }

    /// Returns whether errors of a Swift type have a given domain; nil if the type's domain is unknown.
    @inline(__always)
    static func has(_ type: Any.Type, domain: String) -> Bool? { table[type]?.read { $0.value == domain } }

    /// Returns whether an error might have a domain and a code.
    ///
    /// For an `NSError` object, the result is whether it has both. For a Swift error, the result is true unless its
    /// type is known to have another domain.
    static func mayHave(_ error: any Error, domain: String, code: Int?) -> Bool {
        func mayHave<Content: Error>(_ content: Content) -> Bool {
            let isEqual = UnboxedError(opened: error).read(content, as: NSError.self) { object in
                (code == nil || object.code == code) && object.domain == domain
            }
            let type = Content.self is AnyClass ? Swift.type(of: error) : Content.self
            return isEqual ?? (has(type, domain: domain) != false)
        }
        return _openExistential(error, do: mayHave)
    }
}
