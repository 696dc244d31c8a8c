import Foundation

/// A message's header fields, with case-insensitive names.
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json"]
/// headers["accept"]  // "application/json"
/// ```
///
/// Fields keep their order, and names keep the case in which they were first written. A field can have several values.
/// The first valid value is used, because a proxy might have added the field again. Descriptions contain only the
/// names, because values might be secret.
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
    private struct Field: Sendable {
        /// The field's position among the other fields.
        let number: Int
        let name: String
        var values: [String]

        /// The field's values as one string.
        ///
        /// Cookies have their own separator (RFC 6265, section 5.4).
        var value: String { values.joined(separator: name.lowercased() == "cookie" ? "; " : ", ") }
    }

    /// The fields by lowercase name.
    private var stored: [String: Field] = [:]
    private var nextNumber = 0

    /// Creates headers from names and values.
    ///
    /// A name can have several values.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements)
    }

    /// Creates headers from names and values.
    ///
    /// A name can have several values.
    ///
    /// - Parameter fields: The fields, in their order.
    public init(_ fields: some Sequence<(String, String)>) {
        for (name, value) in fields { append(value, for: name) }
    }

    /// The value of a field; nil if the field is missing.
    ///
    /// Setting nil removes the field. A field's values are joined with commas (RFC 9110, section 5.2), and the values
    /// of `Cookie` are joined with semicolons. Cookies that a server sets can't be joined, so read each `Set-Cookie`
    /// from the sequence of fields.
    ///
    /// - Parameter name: The field's name, in upper or lower case.
    /// - Complexity: O(number of the field's values).
    public subscript(_ name: String) -> String? {
        get { stored[name.lowercased()]?.value }
        set {
            let key = name.lowercased()
            guard let newValue else { return stored[key] = nil }
            if stored[key] != nil { stored[key]?.values = [newValue] } else { add(newValue, key, name) }
        }
    }

    /// Adds a value to a field after its existing values.
    ///
    /// - Parameters:
    ///   - value: The value to add.
    ///   - name: The field's name, in upper or lower case.
    /// - Complexity: O(1).
    public mutating func append(_ value: String, for name: String) {
        let key = name.lowercased()
        // Append in place, because copying the values for each addition would take quadratic time.
        if stored[key] != nil { stored[key]?.values.append(value) } else { add(value, key, name) }
    }

    private mutating func add(_ value: String, _ key: String, _ name: String) {
        stored[key] = Field(number: nextNumber, name: name, values: [value])
        nextNumber += 1
    }

    /// The names and values, in order.
    var fields: [(name: String, value: String)] {
        stored.sorted { $0.value.number < $1.value.number }.flatMap { key, field in
            (key == "set-cookie" ? field.values : [field.value]).map { (field.name, $0) }
        }
    }

    /// Returns the first valid value of a field; nil if there is none.
    ///
    /// A value can consist of up to `pieces` comma-separated pieces. `split` splits values that the HTTP stack joined.
    /// `read` parses a value and returns nil if it isn't valid.
    func firstValid<Value>(
        _ name: String, pieces: Int = 1, splitBy split: (String) -> [String] = { $0.components(separatedBy: ",") },
        _ read: (String) -> Value?
    ) -> Value? {
        for parts in (stored[name.lowercased()]?.values ?? []).map(split) {
            for start in parts.indices {
                for end in (start + 1)...(start + pieces) where end <= parts.count {
                    if let value = read(parts[start..<end].joined(separator: ",")) { return value }
                }
            }
        }
        return nil
    }

    /// The first valid `Content-Type` or, if none is valid, the field's value; nil if the field is missing or empty.
    var contentType: MediaType? {
        let type = firstValid("Content-Type") { value in
            let type = MediaType(value)
            return type.text.split(separator: "/").count == 2 ? type : nil
        }
        return type ?? self["Content-Type"].map { MediaType($0) }.flatMap { $0.text.isEmpty ? nil : $0 }
    }

    /// Returns the fields whose names and values together fit into a number of bytes.
    ///
    /// Fields that don't fit are left out.
    func limited(to limit: Int) -> HTTPHeaders {
        func size(_ name: String, _ value: String) -> Int { name.utf8.count + value.utf8.count }
        guard fields.reduce(0, { $0 + size($1.name, $1.value) }) > limit else { return self }
        var left = limit
        return HTTPHeaders(
            fields.filter { name, value in
                guard size(name, value) <= left else { return false }
                left -= size(name, value)
                return true
            })
    }
}

extension HTTPHeaders: Hashable {
    /// Returns whether both contain the same fields with the same values, in any order.
    public static func == (first: HTTPHeaders, second: HTTPHeaders) -> Bool {
        first.values == second.values
    }

    /// Hashes the fields and their values, regardless of their order.
    public func hash(into hasher: inout Hasher) { hasher.combine(values) }

    private var values: [String: [String]] { stored.mapValues(\.values) }
}

extension HTTPHeaders: Sequence {
    /// Iterates over the names and values, in order.
    ///
    /// Each name occurs once, except `Set-Cookie`, which occurs once for each value.
    ///
    /// - Complexity: O(n log n) for n fields.
    public func makeIterator() -> IndexingIterator<[(name: String, value: String)]> { fields.makeIterator() }
}

extension HTTPHeaders: SecretHolding {
    /// The names of the fields, without their values.
    public var description: String { "[\(fields.map(\.name).joined(separator: ", "))]" }
}

/// A body's type in lowercase, without parameters: `application/problem+json`.
struct MediaType {
    let text: String
    /// The charset in lowercase; nil if it is missing or empty.
    let charset: String?

    init(_ field: some StringProtocol) {
        let parts = field.split(separator: ";", omittingEmptySubsequences: false).map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }
        text = parts[0]
        let value = parts.dropFirst().first { $0.hasPrefix("charset=") }?.dropFirst("charset=".count)
        charset = value.map { $0.trimmingCharacters(in: ["\"", "'"]) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether a body of this type is JSON.
    ///
    /// `x-json` and `text/json` are older names for JSON.
    private var isJSON: Bool { isPlainJSON || text.hasSuffix("+json") }

    private var isPlainJSON: Bool {
        ["application/json", "text/json", "application/x-json", "text/x-json"].contains(text)
    }

    /// Returns whether an `Accept` field accepts this type.
    ///
    /// `application/json` accepts every JSON type, and a `+json` type accepts `application/json`, which services such
    /// as GitHub return.
    func isAccepted(by field: String) -> Bool {
        field.split(separator: ",").map { MediaType($0) }.contains { range in
            if range.text == "*/*" || range.text == text { return true }
            if range.isPlainJSON { return isJSON }
            if range.isJSON { return isPlainJSON }
            return range.text.hasSuffix("/*") && text.hasPrefix(range.text.dropLast())
        }
    }
}
