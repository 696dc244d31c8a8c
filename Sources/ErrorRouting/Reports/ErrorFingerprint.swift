import Foundation

/// What makes two errors be of one kind to a flood limit: type, code, and posting line; or what the user says.
///
/// No string is built for it: an `NSError`'s domain is taken as it is, and texts are compared only where all else is
/// equal.
struct ErrorFingerprint: Hashable, Sendable {
    private let type: ObjectIdentifier
    private let code: Int
    private let line: UInt
    private let fileID: String
    /// The code's domain, or what the user says in place of all the rest.
    private let text: String?

    /// Puts together what is known of a posted error; asks it nothing.
    @inline(__always)
    init(of error: any Error, code: ErrorCode, at source: ErrorReport.Source) {
        type = ObjectIdentifier(Swift.type(of: error))
        self.code = code.number
        line = source.line
        fileID = source.fileID
        text = code.domain
    }

    /// The fingerprint that a ``FloodLimit`` was given.
    init(given: String) {
        type = ObjectIdentifier(String.self)
        (code, line, fileID) = (0, 0, "")
        text = given
    }

    /// The same for equal ones, and at less cost than a hash that nobody can foresee, where kinds are few.
    var quickHash: Int {
        // Types lie some sixteen bytes apart at least.
        Int(bitPattern: type) >> 4 &+ Int(bitPattern: line) &* 31 &+ code &* 17 &+ (text?.hashValue ?? 0)
    }

    /// Type and code in words, the same in every run: `Intake.PaymentError(2)`.
    static func text(of error: any Error) -> String {
        let code = ErrorCode(of: error)
        let domain = code.domain.map { OneLine.escaped(TypeName.withoutAddresses($0)) + " " } ?? ""
        return "\(OneLine.escaped(ErrorText.typeName(of: error)))(\(domain)\(code.number))"
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(code)
        hasher.combine(line)
        hasher.combine(text)
    }

    @inline(__always)
    static func == (first: ErrorFingerprint, second: ErrorFingerprint) -> Bool {
        first.type == second.type && first.line == second.line && first.code == second.code
            && first.fileID == second.fileID && first.text == second.text
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
