/// What a report says in words, for exporters, dashboards and screens: the same in every run of a program, and without
/// addresses.
extension ErrorReport {
    /// The error's type, with its module: `Intake.PaymentError`.
    public var typeName: String { ErrorText.typeName(of: error) }

    /// What the error says of itself, on one line, as the default preset prints it.
    ///
    /// Line breaks, control characters, and what is not shown or reorders text are escaped; a text of more than 16 KiB
    /// is cut, and ends in `…`. An error that asks for its own message while it makes it up is named by its type.
    ///
    /// - Complexity: That of the error's own description; it is made whenever it is asked for.
    public var message: String { OneLine.escaped(ErrorText.message(of: error)) }

    /// What the report has in common with others of its kind: type, code and posting line.
    ///
    /// `Intake.PaymentError(2) Intake/Rules.swift:12`, say, to group reports by. The code is an enum's case by its
    /// number, an `NSError`'s domain and code, a `CustomNSError`'s own; payloads and messages do not count, and neither
    /// does the scope. A ``FloodLimit`` goes by the same.
    public var fingerprint: String { "\(ErrorFingerprint.text(of: error)) \(OneLine.escaped(source.description))" }
}
