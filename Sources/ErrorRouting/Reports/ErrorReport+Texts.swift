import BoundedDescriptions

/// The strings of a report for exporters, dashboards, and screens.
///
/// They are the same in every run of a program and contain no addresses.
extension ErrorReport {
    /// The name of the error's type, with its module: `Intake.PaymentError`.
    ///
    /// `URLError`, `CocoaError`, `POSIXError`, and the `NSError` objects of their domains have the same name on all
    /// platforms, such as `Foundation.URLError`. The name for other `NSError` objects is `Foundation.NSError`.
    public var typeName: String { ErrorText.typeName(of: error) }

    /// The first of these that exists: the kind from the error's ``ErrorDetails``, the name of an enum's case.
    ///
    /// It is nil if neither exists. A case's name doesn't include the payload. Enums imported from C don't have case
    /// names.
    ///
    /// - Complexity: The same as the error's own details; computed on each access.
    public var kindName: String? { described.kind.map(OneLine.escaped) }

    /// The name of an enum's case; nil for other errors.
    package var caseName: String? { EnumCase.name(of: error).map(OneLine.escaped) }

    /// Where the error was thrown or created; nil if that is unknown.
    ///
    /// An error can provide the place itself with ``ErrorDetails/source``. In contrast, the report's ``source`` is
    /// where the error was posted.
    ///
    /// - Complexity: The same as the error's own details; computed on each access.
    public var origin: ErrorOrigin? { described.origin }

    /// The error with its kind and details, read now.
    var described: DescribedError { described(error) }

    /// Returns an underlying error with its kind and details, read now.
    func described(_ error: any Error) -> DescribedError { DescribedError(error, by: rareParts?.value.table) }

    /// The error's domain and code, if it defines them; otherwise nil.
    ///
    /// `NSError` objects and `CustomNSError` types define them, including `URLError`, `CocoaError`, and `POSIXError`.
    /// The domain is one line, escaped and bounded like ``message``. For other Swift errors, `NSError` derives a domain
    /// and a code from the type's name and the number of the case; ``typeName`` and ``kindName`` show these better.
    ///
    /// - Complexity: The same as the error's own `errorDomain` and `errorCode`; computed on each access.
    public var domainAndCode: (domain: String, code: Int)? {
        ErrorText.domainAndCode(of: error).map { (OneLine.escaped($0.domain), $0.code) }
    }

    /// The error's message on one line, as the default preset prints it.
    ///
    /// Line breaks, control characters, and invisible or reordering characters are escaped. A string of more than 16
    /// KiB is truncated and ends in `…`. If the error's description reads this message, the recursion stops and the
    /// message is the type's name. A message that the error's ``ErrorDetails`` provide replaces the description.
    ///
    /// - Complexity: The same as the error's own details and description; computed on each access.
    public var message: String { OneLine.escaped(described.message) }

    /// A string to group reports by: the error's type, its kind, and the posting file.
    ///
    /// The kind is the first of these that exists: ``kindName``, the domain with the code.
    ///
    /// An example is `Intake.PaymentError.declined Intake/Rules.swift`. The fingerprint is the same in every run and,
    /// as long as the type, case, and file keep their names, in every release. It contains no line numbers or case
    /// numbers, because unrelated edits change these. It doesn't depend on payloads, messages, or scopes.
    public var fingerprint: String { fingerprint(of: described, domainAndCode) }

    private func fingerprint(
        of described: DescribedError, _ domainAndCode: @autoclosure () -> (domain: String, code: Int)?
    ) -> String { "\(described.fingerprint(domainAndCode())) \(OneLine.escaped(source.fileID))" }

    /// All strings of the report, for an exporter that needs several of them.
    ///
    /// They equal the report's properties of the same names. Reading them together is cheaper than reading the
    /// properties one by one, because the error is reflected only once.
    ///
    /// - Complexity: The same as ``message`` and ``trail`` together; computed on each access.
    public var texts: Texts {
        let (described, code) = (described, domainAndCode)
        let (message, reflected) = described.messageAndFields
        return Texts(
            typeName: described.typeName, kindName: described.kind.map(OneLine.escaped),
            caseName: described.caseName.map(OneLine.escaped), givenKind: described.details?.kind.map(OneLine.escaped),
            domainAndCode: code, message: OneLine.escaped(message), fingerprint: fingerprint(of: described, code),
            trail: trail(reflected), origin: described.origin)
    }

    /// All strings of a report, which equal the report's properties of the same names.
    public struct Texts: Sendable {
        /// See ``ErrorReport/typeName``.
        public let typeName: String
        /// See ``ErrorReport/kindName``.
        public let kindName: String?
        /// The name of an enum's case; nil for other errors.
        package let caseName: String?
        /// The kind that the error's details provide; nil if they don't provide one.
        package let givenKind: String?
        /// See ``ErrorReport/domainAndCode``.
        public let domainAndCode: (domain: String, code: Int)?
        /// See ``ErrorReport/message``.
        public let message: String
        /// See ``ErrorReport/fingerprint``.
        public let fingerprint: String
        /// See ``ErrorReport/trail``.
        public let trail: [TrailStep]
        /// See ``ErrorReport/origin``.
        public let origin: ErrorOrigin?
    }
}
