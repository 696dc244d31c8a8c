import Foundation

/// The key by which a flood limit groups errors: type, code, posting line, path of scopes, and role.
///
/// If the flood limit has a user's closure, the key consists only of the string that the closure returned and the role.
/// Both kinds of key also contain the mark of the bus's witness.
///
/// The key is an object because a posting, its window, and the order of windows share it. Creating it builds no string:
/// an `NSError`'s domain is stored unchanged, and strings are compared only if all other fields are equal.
final class FloodKind: Hashable, Sendable {
    private let type: ObjectIdentifier
    private let code: Int
    private let line: UInt
    private let fileID: String
    private let scope: [String]
    private let role: ErrorReport.Role
    /// The mark of the bus's witness.
    private let mark: ObjectIdentifier?
    /// The code's domain, or the result of the user's closure, which replaces all fields except role and mark.
    private let text: String?

    /// Creates the key of a posted error; doesn't call user code.
    @inline(__always)
    init(
        of code: ErrorCode, at source: ErrorReport.Source, in scope: [String], as role: ErrorReport.Role = .failure,
        marked mark: ObjectIdentifier? = nil
    ) {
        type = code.type
        self.code = code.number
        line = source.line
        fileID = source.fileID
        self.scope = scope
        (self.role, self.mark) = (role, mark)
        text = code.domain
    }

    /// Creates a key from a string that a ``FloodLimit``'s closure returned.
    init(given: String, as role: ErrorReport.Role = .failure, marked mark: ObjectIdentifier? = nil) {
        type = ObjectIdentifier(String.self)
        (code, line, fileID, scope) = (0, 0, "", [])
        (self.role, self.mark) = (role, mark)
        text = given
    }

    @inline(__always)
    func hash(into hasher: inout Hasher) {
        // Combine one number instead of three: it distinguishes most kinds, and each call takes time.
        hasher.combine(Int(bitPattern: type) &+ Int(bitPattern: line) &* 31 &+ code &* 17)
        // Skip absent parts: most errors have neither a string nor scopes.
        if let text { hasher.combine(text) }
        for name in scope { hasher.combine(name) }
    }

    @inline(__always)
    static func == (first: FloodKind, second: FloodKind) -> Bool {
        first.type == second.type && first.line == second.line && first.code == second.code
            && first.fileID == second.fileID && first.text == second.text && first.scope == second.scope
            && first.role == second.role && first.mark == second.mark
    }
}
