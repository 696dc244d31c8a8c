import BoundedDescriptions

/// The names of an error's kind, each read at most once: its type, its case, and its domain and code.
struct ErrorKind {
    let typeName: String
    private let name: String?
    private let error: any Error

    /// Lazy, because reading it bridges the error, and the name of a case says more.
    private(set) lazy var domainAndCode: (domain: String, code: Int)? =
        ErrorText.code(of: error).map { (OneLine.escaped($0.domain), $0.code) }

    init(of error: any Error) {
        typeName = ErrorText.typeName(of: error)
        name = ErrorText.caseName(of: error)
        self.error = error
    }

    var caseName: String? { name.map(OneLine.escaped) }

    /// The type, with the case or, without one, the domain and code if it has any: `Intake.PaymentError.declined`,
    /// `Foundation.URLError(NSURLErrorDomain -1009)`, `Intake.Offline`.
    ///
    /// It is the same in every run and, if nothing is renamed, in every release. A case's number would change when a
    /// case is added before it.
    var fingerprint: String {
        mutating get {
            if let name { return "\(typeName).\(OneLine.bare(name))" }
            return domainAndCode.map { "\(typeName)(\($0.domain) \($0.code))" } ?? typeName
        }
    }
}
