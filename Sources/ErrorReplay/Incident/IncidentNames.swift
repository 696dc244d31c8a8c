/// The part of a kind's fingerprint that distinguishes it from most other kinds.
enum IncidentName {
    /// Returns the last part of the type name with its case or kind, and the file or route.
    ///
    /// `Orders.Checkout.PaymentError.declined Orders/Intake.swift` becomes `PaymentError.declined Intake.swift`. A
    /// route is shown as its method and path, if the source contains them: `TodoError.missing POST /todos`. A
    /// fingerprint in another form is returned unchanged.
    static func short(of fingerprint: String, type: String, source: String) -> String {
        guard !type.isEmpty, fingerprint.hasPrefix(type) else { return fingerprint.isEmpty ? type : fingerprint }
        var kind = fingerprint.dropFirst(type.count)
        var file = source[...]
        if let colon = file.lastIndex(of: ":"), file[colon...].dropFirst().allSatisfy(\.isNumber) {
            file = file[..<colon]
        }
        guard !file.isEmpty, kind.hasSuffix(" \(file)") else { return "\(lastPart(ofType: type))\(kind)" }
        kind = kind.dropLast(file.count + 1)
        return "\(lastPart(ofType: type))\(kind) \(shown(file))"
    }

    private static func lastPart(ofType type: String) -> Substring {
        // Keep the arguments of a generic type, because they can contain dots.
        let name = type.prefix { $0 != "<" && $0 != "(" }
        return name.lastIndex(of: ".").map { type[$0...].dropFirst() } ?? type[...]
    }

    private static func shown(_ file: Substring) -> String {
        guard let slash = file.firstIndex(of: "/") else { return String(file) }
        if file.hasSuffix(".swift") { return String(file[(file.lastIndex(of: "/") ?? slash)...].dropFirst()) }
        let route = file[slash...].dropFirst()
        let hasMethod = route.prefix { $0.isASCII && $0.isUppercase }.count > 0 && route.contains(" /")
        return hasMethod ? String(route) : "/\(route)"
    }
}

/// Counts the occurrences of up to a dozen names; further names are counted together.
struct NameCounts: Sendable {
    private static let limit = 12

    private(set) var entries: [(name: Int, count: Int)] = []
    private(set) var others = 0

    mutating func add(_ count: Int, _ name: Int) {
        for index in entries.indices where entries[index].name == name {
            entries[index].count += count
            return
        }
        if entries.count < Self.limit { entries.append((name, count)) } else { others += count }
    }
}

/// The names of hosts, scopes, outcomes, and throw locations, each stored once.
///
/// Their number and size are bounded.
struct NameTable: Sendable {
    private static let (limit, size, length) = (20_000, 2 << 20, 200)

    private(set) var names = ["…"]
    private var numbers: [String: Int] = [:]
    private var bytes = 0

    /// Returns a name's number, and stores a new name in a form that is safe to show; 0 if there are too many names.
    mutating func number(of name: String) -> Int {
        let name = PageText.shown(name, Self.length)
        if let number = numbers[name] { return number }
        guard names.count < Self.limit, bytes < Self.size else { return 0 }
        bytes += name.utf8.count
        numbers[name] = names.count
        names.append(name)
        return names.count - 1
    }
}
