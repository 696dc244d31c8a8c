import Foundation

/// What makes two errors be of one kind to a flood limit: type, code, and posting line; or what the user says.
///
/// No string is built for it: an `NSError`'s domain is taken as it is, and texts are compared only where all else is
/// equal.
struct ErrorFingerprint: Hashable, Sendable {
    private let type: ObjectIdentifier
    private let code: ErrorCode
    private let source: ErrorReport.Source
    /// What the user says, in place of all that.
    private let given: String?

    private static let nothing = ErrorReport.Source(fileID: "", line: 0)

    /// Puts together what is known of a posted error; asks it nothing.
    init(of error: any Error, code: ErrorCode, at source: ErrorReport.Source) {
        type = ObjectIdentifier(Swift.type(of: error))
        self.code = code
        self.source = source
        given = nil
    }

    /// The fingerprint that a ``FloodLimit`` was given.
    init(given: String) {
        type = ObjectIdentifier(String.self)
        code = ErrorCode(number: 0, domain: nil)
        source = Self.nothing
        self.given = given
    }

    /// Type and code in words, the same in every run: `Intake.PaymentError(2)`.
    static func text(of error: any Error) -> String {
        let code = ErrorCode(of: error)
        let domain = code.domain.map { OneLine.escaped(TypeName.withoutAddresses($0)) + " " } ?? ""
        return "\(OneLine.escaped(ErrorText.typeName(of: error)))(\(domain)\(code.number))"
    }

    func hash(into hasher: inout Hasher) {
        if let given { return hasher.combine(given) }
        hasher.combine(type)
        hasher.combine(code.number)
        hasher.combine(source.line)
    }

    static func == (first: ErrorFingerprint, second: ErrorFingerprint) -> Bool {
        first.type == second.type && first.source.line == second.source.line && first.code == second.code
            && first.source.fileID == second.source.fileID && first.given == second.given
    }
}

/// An error's code: an enum's case, an `NSError`'s domain and code.
struct ErrorCode: Equatable, Sendable {
    let number: Int
    let domain: String?

    init(number: Int, domain: String?) {
        self.number = number
        self.domain = domain
    }

    /// Asks an error for its code, which may run code of the user's.
    init(of error: any Error) {
        let type = type(of: error)
        if type is NSError.Type || NSErrorBridge.isBridged(type) {
            let error = NSErrorBridge.bridged(error)
            number = error?.code ?? 0
            domain = error?.domain
        } else {
            // By default an enum's case, and 1 for a struct, whatever it holds; its `errorCode` where it has one, which
            // may post the error itself.
            let entry = PerThread.enterMatcher()
            number = entry == nil ? 0 : error._code
            domain = nil
            if let entry { PerThread.leaveMatcher(entry) }
        }
    }
}
