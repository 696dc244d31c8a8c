import Foundation

/// The `NSError` domains of the Swift types that were asked for one, each read once in the life of the process.
///
/// Bridging an error only for its domain costs twenty times as much as a dispatch. All errors of one Swift type have the
/// same domain. `NSError` objects have their own, and are never in the table.
enum TypeDomains {
    private final class Domain: Sendable {
        let name: String

        init(_ name: String) { self.name = name }
    }

    private static let table = TypeTable<Domain>()

    /// Returns whether errors of a Swift type have a domain.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - domain: The domain to compare with.
    ///   - read: Returns the type's domain if it is not known yet, and nil where it must not be read.
    /// - Returns: Nil if the domain is not known.
    @inline(__always)
    static func has(_ type: Any.Type, domain: String, reading read: () -> String?) -> Bool? {
        if let known = table[type] { return known.read { $0.name == domain } }
        guard let name = read() else { return nil }
        return table.insert(Domain(name), for: type).read { $0.name == domain }
    }

    /// Returns whether an error may have a domain and a code: true for the errors that have both, and for those that must
    /// be bridged to know.
    static func mayHave(_ error: any Error, domain: String, code: Int?) -> Bool {
        func mayHave<Content: Error>(_ content: Content) -> Bool {
            if Content.self == NSError.self {
                let error = unsafe BoxContent.content(content, as: NSError.self)
                return (code == nil || error.code == code) && error.domain == domain
            }
            let type = Content.self is AnyClass ? Swift.type(of: error) : Content.self
            return type is NSError.Type || has(type, domain: domain, reading: { nil }) != false
        }
        return _openExistential(error, do: mayHave)
    }
}
