import Foundation

/// The header fields of a message, with case-insensitive names.
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json"]
/// headers["accept"]  // "application/json"
/// ```
///
/// Fields keep their order, and names keep the case in which they were first written. Descriptions contain only the
/// names, since values may be secret.
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
    private struct Field: Sendable {
        let name: String
        var value: String
    }

    private var stored: [Field] = []

    /// Makes headers from names and values; several values of one name are joined with commas.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements)
    }

    /// Makes headers from names and values; several values of one name are joined with commas.
    ///
    /// - Parameter fields: The fields, in their order.
    public init(_ fields: some Sequence<(String, String)>) {
        for (name, value) in fields { append(value, for: name) }
    }

    /// The value of a field; nil if there is no such field.
    ///
    /// Setting nil removes the field. Several values of one field are joined with commas, by RFC 9110, section 5.2.
    ///
    /// - Parameter name: The field's name, in upper or lower case.
    /// - Complexity: O(n) for n fields.
    public subscript(_ name: String) -> String? {
        get { index(of: name).map { stored[$0].value } }
        set {
            switch (index(of: name), newValue) {
            case (let index?, let value?): stored[index].value = value
            case (let index?, nil): stored.remove(at: index)
            case (nil, let value?): stored.append(Field(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// Adds a value to a field, after the values that it already has.
    ///
    /// - Parameters:
    ///   - value: The value to add.
    ///   - name: The field's name, in upper or lower case.
    public mutating func append(_ value: String, for name: String) {
        if let index = index(of: name) {
            stored[index].value += ", " + value
        } else {
            stored.append(Field(name: name, value: value))
        }
    }

    /// The names and values, in their order.
    public var fields: [(name: String, value: String)] { stored.map { ($0.name, $0.value) } }

    private func index(of name: String) -> Int? {
        let name = name.lowercased()
        return stored.firstIndex { $0.name.lowercased() == name }
    }
}

extension HTTPHeaders: Equatable {
    /// Whether both have the same fields with the same values, in any order.
    public static func == (first: HTTPHeaders, second: HTTPHeaders) -> Bool {
        first.stored.count == second.stored.count && first.stored.allSatisfy { second[$0.name] == $0.value }
    }
}

extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names of the fields, without their values.
    public var description: String { "[\(stored.map(\.name).joined(separator: ", "))]" }

    /// The names of the fields, without their values.
    public var debugDescription: String { description }

    /// An empty mirror, so that reflection does not print the values.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The type of a body, without its parameters, in lower case: `application/problem+json`.
struct MediaType {
    let text: String

    init(_ field: some StringProtocol) {
        text = String(field.prefix { $0 != ";" }).trimmingCharacters(in: .whitespaces).lowercased()
    }

    var isJSON: Bool { text == "application/json" || text.hasSuffix("+json") }
    var isProblem: Bool { text == "application/problem+json" }

    /// Returns whether an `Accept` field accepts this type; `application/json` accepts every `+json` type too.
    func isAccepted(by field: String) -> Bool {
        field.split(separator: ",").map { MediaType($0).text }.contains { range in
            if range == "*/*" || range == text { return true }
            if range == "application/json" { return isJSON }
            return range.hasSuffix("/*") && text.hasPrefix(range.dropLast())
        }
    }
}
