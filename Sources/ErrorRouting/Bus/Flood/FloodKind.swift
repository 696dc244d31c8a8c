import Foundation

/// The key by which a flood limit groups errors: type, code, posting line, path of scopes, and role.
///
/// If the flood limit has a user's closure, the key consists only of the string that the closure returned and the role.
/// Both kinds of key also contain the mark of the bus's witness.
///
/// The key is an object because a posting, its window, and the order of windows share it. Creating it builds no string:
/// an `NSError`'s domain is stored unchanged.
final class FloodKind: Hashable, Sendable {
    /// An error's type and code; the string is the code's domain, or the kind that the error's details provide.
    typealias Code = (type: ObjectIdentifier, number: Int, domain: String?)

    /// The error's code, or the result of the user's closure, which replaces all fields except role and mark.
    private let code: Code
    private let source: ErrorReport.Source
    private let scope: [String]
    private let role: ErrorReport.Role
    /// The mark of the bus's witness.
    private let mark: ObjectIdentifier?

    /// Creates the key of a posted error; doesn't call user code.
    @inline(__always)
    init(
        _ code: Code, at source: ErrorReport.Source, in scope: [String], as role: ErrorReport.Role = .failure,
        marked mark: ObjectIdentifier? = nil
    ) {
        (self.code, self.source, self.scope, self.role, self.mark) = (code, source, scope, role, mark)
    }

    /// Creates a key from a string that a ``FloodLimit``'s closure returned.
    convenience init(given: String, as role: ErrorReport.Role = .failure, marked mark: ObjectIdentifier? = nil) {
        let code = (ObjectIdentifier(String.self), 0, given)
        self.init(code, at: .init(fileID: "", line: 0), in: [], as: role, marked: mark)
    }

    /// Reads an error's code, which might run user code.
    ///
    /// The code is the first of these that applies: the kind that the error's details provide, the number of an enum's
    /// case, the domain and code of an `NSError` or of one of Foundation's Swift types.
    static func code(of error: any Error, by table: DetailsTable? = nil) -> Code {
        let type = type(of: error)
        // Check this only once: the types are in another library.
        let isBridged = NSErrorBridge.isBridged(type)
        let identifier = ObjectIdentifier(isBridged ? NSError.self : type)
        if let kind = ErrorDetails.of(error, by: table)?.kind { return (identifier, 0, kind) }
        guard let entry = PerThread.enterUserCode() else { return (identifier, 0, nil) }
        defer { PerThread.leaveUserCode(entry) }
        // For an enum, `_code` is the number of the case; for a struct, it is 1. For a `CustomNSError`, it calls the
        // user's `errorCode`, which might itself post the error.
        guard isBridged || type is NSError.Type else { return (identifier, error._code, nil) }
        let error = error as NSError
        return (identifier, error.code, error.domain)
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
