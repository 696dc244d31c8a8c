import Foundation

/// The header fields of a message, whose names are the same in upper and lower case.
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json"]
/// headers["accept"]  // "application/json"
/// ```
///
/// The order of fields is kept, and so is the case in which their names were first written. Descriptions have the names
/// alone: values may be secrets.
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
    private struct Field: Sendable {
        let name: String
        var value: String
    }

    private var stored: [Field] = []

    /// Makes headers from names and values; of a name that comes more than once the values are appended.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements)
    }

    /// Makes headers from names and values; of a name that comes more than once the values are appended.
    ///
    /// - Parameter fields: The fields, in their order.
    public init(_ fields: some Sequence<(String, String)>) {
        for (name, value) in fields { append(value, for: name) }
    }

    /// The value of a field; nil where there is none, and setting nil removes it.
    ///
    /// Of a field that came more than once it is all values, with commas between them, as RFC 9110, section 5.2, has
    /// it.
    ///
    /// - Parameter name: The field's name, in upper or lower case.
    /// - Complexity: O(n), with few fields.
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

    /// Adds a value to a field, which may have values.
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
    /// Whether both have the same fields with the same values, in whatever order.
    public static func == (first: HTTPHeaders, second: HTTPHeaders) -> Bool {
        first.stored.count == second.stored.count && first.stored.allSatisfy { second[$0.name] == $0.value }
    }
}

extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names of the fields, without their values.
    public var description: String { "[\(stored.map(\.name).joined(separator: ", "))]" }

    /// The names of the fields, without their values.
    public var debugDescription: String { description }

    /// Nothing: what is printed by reflection shall not have the values either.
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

    /// Whether an `Accept` field asks for it; JSON of any kind for `application/json`.
    func isAccepted(by field: String) -> Bool {
        field.split(separator: ",").map { MediaType($0).text }.contains { range in
            if range == "*/*" || range == text { return true }
            if range == "application/json" { return isJSON }
            return range.hasSuffix("/*") && text.hasPrefix(range.dropLast())
        }
    }
}
