import BoundedDescriptions

/// An error with what reports show of it, each part read once: its type, its kind, and its details.
struct DescribedError {
    let typeName: String
    /// The kind that the details give; nil if they give none.
    var givenKind: String? { details.kind.map(OneLine.escaped) }
    /// The place that the details give; nil if they give none.
    var origin: ErrorOrigin? { ErrorOrigin(details) }

    private let error: any Error
    private let details: ErrorDetails
    private let rawCaseName: String?

    init(_ error: any Error, by table: DetailsTable? = nil) {
        self.error = error
        details = ErrorDetails(of: error, by: table)
        typeName = ErrorText.typeName(of: error)
        rawCaseName = ErrorText.caseName(of: error)
    }

    var kindName: String? { (details.kind ?? rawCaseName).map(OneLine.escaped) }
    var caseName: String? { rawCaseName.map(OneLine.escaped) }

    /// The message, neither truncated nor escaped.
    var message: String { messageAndFields.message }

    /// The message, with the error's fields if they have been read for it.
    var messageAndFields: (message: String, fields: ReflectedFields?) {
        details.message.map { ($0, nil) } ?? ErrorText.messageAndFields(of: error)
    }

    /// Returns the type, with the first of these that the error has: a kind, a case, a domain and a code. For example:
    /// `Intake.PaymentError.declined`, `Foundation.URLError(NSURLErrorDomain -1009)`, `Intake.Offline`.
    ///
    /// It is the same in every run and, if nothing is renamed, in every release. A case's number would change when a
    /// case is added before it.
    ///
    /// - Parameters:
    ///   - includesKind: Whether to use a kind that the details give. A replay doesn't know the details of all errors.
    ///   - domainAndCode: The error's domain and code. They are not read for a kind or a case, which says more, because
    ///     reading them bridges the error.
    func fingerprint(
        includingKind includesKind: Bool = true, _ domainAndCode: @autoclosure () -> (domain: String, code: Int)?
    ) -> String {
        if let name = (includesKind ? details.kind : nil) ?? rawCaseName { return "\(typeName).\(OneLine.bare(name))" }
        return domainAndCode().map { "\(typeName)(\($0.domain) \($0.code))" } ?? typeName
    }
}
