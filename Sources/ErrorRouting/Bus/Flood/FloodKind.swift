import Foundation

/// The key by which a flood limit groups errors: type, code, posting line, path of scopes, and role.
///
/// If the flood limit has a user's closure, the key consists only of the string that the closure returned and the role.
/// Both kinds of key also contain the mark of the bus's witness.
///
/// The key is an object because a posting, its window, and the order of windows share it. Creating it builds no string:
/// an `NSError`'s domain is stored unchanged.
final class FloodKind: Hashable, Sendable {
    /// The error's code, or the result of the user's closure, which replaces all fields except role and mark.
    private let code: ErrorCode
    private let source: ErrorReport.Source
    private let scope: [String]
    private let role: ErrorReport.Role
    /// The mark of the bus's witness.
    private let mark: ObjectIdentifier?

    /// Creates the key of a posted error; doesn't call user code.
    @inline(__always)
    init(
        of code: ErrorCode, at source: ErrorReport.Source, in scope: [String], as role: ErrorReport.Role = .failure,
        marked mark: ObjectIdentifier? = nil
    ) {
        (self.code, self.source, self.scope, self.role, self.mark) = (code, source, scope, role, mark)
    }

    /// Creates a key from a string that a ``FloodLimit``'s closure returned.
    convenience init(given: String, as role: ErrorReport.Role = .failure, marked mark: ObjectIdentifier? = nil) {
        self.init(of: ErrorCode(given: given), at: .init(fileID: "", line: 0), in: [], as: role, marked: mark)
    }

    @inline(__always)
    func hash(into hasher: inout Hasher) {
        // Combine one number instead of three: it distinguishes most kinds, and each call takes time.
        hasher.combine(Int(bitPattern: code.type) &+ Int(bitPattern: source.line) &* 31 &+ code.number &* 17)
        // Skip absent parts: most errors have neither a string nor scopes.
        if let domain = code.domain { hasher.combine(domain) }
        for name in scope { hasher.combine(name) }
    }

    @inline(__always)
    static func == (first: FloodKind, second: FloodKind) -> Bool {
        first.code == second.code && first.source == second.source && first.scope == second.scope
            && first.role == second.role && first.mark == second.mark
    }
}
