import BoundedDescriptions

/// The names of an error's kind, each read once: its type and its case.
struct ErrorKind {
    let typeName: String
    private let name: String?

    init(of error: any Error) {
        typeName = ErrorText.typeName(of: error)
        name = ErrorText.caseName(of: error)
    }

    var caseName: String? { name.map(OneLine.escaped) }

    /// Returns the type, with the case or, without one, the domain and code if it has any:
    /// `Intake.PaymentError.declined`, `Foundation.URLError(NSURLErrorDomain -1009)`, `Intake.Offline`.
    ///
    /// It is the same in every run and, if nothing is renamed, in every release. A case's number would change when a
    /// case is added before it.
    ///
    /// - Parameter domainAndCode: The error's domain and code. They are not read for an enum's case, which says more,
    ///   because reading them bridges the error.
    func fingerprint(_ domainAndCode: @autoclosure () -> (domain: String, code: Int)?) -> String {
        if let name { return "\(typeName).\(OneLine.bare(name))" }
        return domainAndCode().map { "\(typeName)(\($0.domain) \($0.code))" } ?? typeName
    }
}
