/// An error's kind, its message for developers, and the place where it was created.
///
/// Conform your own errors to ``ErrorDetailsProviding``. For the errors of other packages, use
/// ``ErrorBus/Configuration/details``:
///
/// ```swift
/// configuration.details = ErrorMap()
///     .on(PSQLError.self) { ErrorDetails(kind: $0.code.description, message: $0.serverInfo?[.message]) }
/// ```
///
/// For each field, the bus's map takes precedence over the error's own details.
public struct ErrorDetails: Sendable, Hashable {
    /// The kind, such as `uniqueViolation`; nil if the error's type and case suffice.
    ///
    /// It replaces the name of an enum's case in fingerprints, flood limits, dimensions, lines, and records. Use a
    /// small number of values that are the same in every release: neither identifiers nor the numbers of cases.
    public var kind: String?
    /// The message for developers; nil for the error's own description.
    ///
    /// It replaces the description in reports, but not on the user's screen.
    public var message: String?
    /// The place where the error was created or thrown; nil if it is unknown.
    ///
    /// A report shows it as its ``ErrorReport/origin``.
    public var source: ErrorReport.Source?

    /// Creates details.
    ///
    /// - Parameters:
    ///   - kind: The kind; nil if the error's type and case suffice.
    ///   - message: The message for developers; nil for the error's description.
    ///   - source: The place where the error was created or thrown; nil if it is unknown.
    public init(kind: String? = nil, message: String? = nil, source: ErrorReport.Source? = nil) {
        (self.kind, self.message, self.source) = (kind, message, source)
    }
}

/// An error that provides its kind, message, and place for reports, logs, and metrics.
///
/// ```swift
/// extension StorageError: ErrorDetailsProviding {
///     var errorDetails: ErrorDetails { ErrorDetails(kind: code.name, message: "\(operation): \(reason)") }
/// }
/// ```
public protocol ErrorDetailsProviding: Error {
    /// The error's kind, message, and place; computed on each access.
    var errorDetails: ErrorDetails { get }
}

/// A bus's table of details for errors from other packages.
typealias DetailsTable = @Sendable (any Error) -> ErrorDetails?

extension ErrorDetails {
    /// Types that don't provide details, cached because a flood limit looks for the kind of each error.
    private static let plainTypes = NonconformingTypes()

    /// Returns an error's details, which are empty if a table has none for it; nil without details and without a table.
    ///
    /// Reading the details calls user code. For each field, the table takes precedence over the error's own details. If
    /// user code is nested too deeply, the result is nil.
    @inline(__always)
    static func of(_ error: any Error, by table: DetailsTable?) -> ErrorDetails? {
        let type = type(of: error)
        let provides = plainTypes.conforms(type) { type is any ErrorDetailsProviding.Type }
        return provides || table != nil ? read(error, table) : nil
    }

    @inline(never)
    private static func read(_ error: any Error, _ table: DetailsTable?) -> ErrorDetails? {
        PerThread.inUserCode {
            let own = (error as? any ErrorDetailsProviding)?.errorDetails
            guard let table, let given = table(error) else { return own ?? ErrorDetails() }
            return ErrorDetails(
                kind: given.kind ?? own?.kind, message: given.message ?? own?.message,
                source: given.source ?? own?.source)
        }
    }
}
