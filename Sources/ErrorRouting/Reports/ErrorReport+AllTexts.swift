extension ErrorReport {
    /// All texts of the report, for an exporter that needs several.
    ///
    /// They are the report's properties of the same names, each computed once. This is cheaper than reading them one by
    /// one, because the error is reflected once.
    ///
    /// - Complexity: That of ``message`` and of ``trail``; computed at each access.
    public var texts:
        (
            typeName: String, caseName: String?, domainAndCode: (domain: String, code: Int)?, message: String,
            fingerprint: String, trail: [TrailStep]
        )
    {
        let (kind, code) = (ErrorKind(of: error), domainAndCode)
        let (message, trail) = messageAndTrail
        return (kind.typeName, kind.caseName, code, message, fingerprint(kind, code), trail)
    }
}
