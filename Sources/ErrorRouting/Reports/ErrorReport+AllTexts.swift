extension ErrorReport {
    /// All strings of the report, for an exporter that needs several of them.
    ///
    /// They equal the report's properties of the same names. Reading them together is cheaper than reading the
    /// properties one by one, because the error is reflected only once.
    ///
    /// - Complexity: The same as ``message`` and ``trail`` together; computed on each access.
    public var texts: Texts {
        let (described, code) = (described, domainAndCode)
        let (message, trail) = messageAndTrail(described)
        return Texts(
            typeName: described.typeName, kindName: described.kindName, caseName: described.caseName,
            givenKind: described.givenKind, domainAndCode: code, message: message,
            fingerprint: fingerprint(described, code), trail: trail, origin: described.origin)
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
