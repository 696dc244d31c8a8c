import Foundation

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
