import ErrorRouting

extension SentryEvent {
    /// The maximum numbers of characters and items in an event.
    ///
    /// Sentry would truncate or drop anything that exceeds its own limits.
    private struct Limits {
        var message = 8_192
        var exceptions = 50
        var frames = 50
        var extraItem = 16_000
        var extra = 200_000
        var tags = 100
        var fingerprint = 1_000

        /// Limits for an event that is still too large: a few hundred kilobytes at most, even if JSON escapes each
        /// character.
        static let small = Limits(
            message: 500, exceptions: 10, frames: 10, extraItem: 500, extra: 20_000, tags: 50, fingerprint: 200)
    }

    /// The maximum length of a name or tag, and of a type or path.
    private static let (nameLimit, typeLimit) = (200, 256)

    /// The event within Sentry's limits for each field.
    var bounded: SentryEvent { bounded(Limits()) }

    /// The event with strings that are few and short enough never to exceed Sentry's limit for an event, 1 MiB.
    var small: SentryEvent { bounded(.small) }

    private func bounded(_ limits: Limits) -> SentryEvent {
        var event = self
        event.logger = Self.truncated(Self.line(logger).filter { $0 != " " }, 64)
        event.transaction = transaction.map { Self.line(Self.truncated(Self.line($0), Self.nameLimit)) }
        if event.transaction == "" { event.transaction = nil }
        event.fingerprint = fingerprint.prefix(10).map { Self.truncated($0, limits.fingerprint) }
        event.tags = Self.bounded(tags: tags, limits)
        event.extra = Self.bounded(extra: extra, limits)
        // Keep the first exceptions, because the posted error comes first.
        event.exceptions = exceptions.prefix(limits.exceptions).map { Self.bounded($0, limits) }
        return event
    }

    private static func bounded(_ exception: Exception, _ limits: Limits) -> Exception {
        var exception = exception
        // Replace an empty type, because Sentry drops an exception without a type and a value.
        exception.type = exception.type.isEmpty ? "Error" : truncated(exception.type, typeLimit)
        exception.value = truncated(exception.value, limits.message)
        exception.module = exception.module.map { truncated($0, typeLimit) }
        exception.domain = exception.domain.map { truncated($0, typeLimit) }
        // Replace empty strings with nil, because Sentry drops them.
        func part(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : truncated($0, typeLimit) } }
        exception.frames = exception.frames.prefix(limits.frames).map { frame in
            ErrorOrigin.Frame(
                address: frame.address, function: part(frame.function), file: part(frame.file), line: frame.line,
                image: part(frame.image))
        }
        return exception
    }

    /// The tags that Sentry would treat as fields of the event.
    private static let reserved: Set = [
        "dist", "environment", "filename", "function", "release", "server_name", "user",
    ]

    /// Returns the tags in a form that Sentry accepts.
    ///
    /// Sentry drops a tag with an empty value, or with a key that contains characters other than ASCII letters, digits,
    /// and `_.:-`.
    private static func bounded(tags: [String: String], _ limits: Limits) -> [String: String] {
        var result: [String: String] = [:]
        for (key, value) in tags.sorted(by: { $0.key < $1.key }) where result.count < limits.tags {
            let allowed = String(
                key.map { $0.isASCII && ($0.isLetter || $0.isNumber) || "_.:-".contains($0) ? $0 : "_" })
            let value = line(truncated(line(value), nameLimit))
            if allowed.isEmpty || value.isEmpty { continue }
            result[String((reserved.contains(allowed) ? "tag.\(allowed)" : allowed).prefix(nameLimit))] = value
        }
        return result
    }

    /// Returns a string on one line, without control characters and without leading or trailing spaces.
    static func line(_ text: String) -> String {
        let isBlank = { (scalar: Unicode.Scalar) in
            scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
        }
        return text.unicodeScalars.split(whereSeparator: isBlank).map { String($0) }.joined(separator: " ")
    }

    /// Returns the items in alphabetical order, up to the total limit.
    private static func bounded(extra: [String: String], _ limits: Limits) -> [String: String] {
        var result: [String: String] = [:]
        var left = limits.extra
        for (key, value) in extra.sorted(by: { $0.key < $1.key }) {
            let (key, value) = (truncated(key, nameLimit), truncated(value, limits.extraItem))
            left -= key.utf8.count + value.utf8.count
            if left < 0 { break }
            result[key] = value
        }
        return result
    }

    /// Returns a string of at most a number of Unicode scalars, which is how Sentry counts characters.
    static func truncated(_ text: String, _ limit: Int) -> String {
        if text.utf8.count <= limit { return text }
        let scalars = text.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return text }
        return String(scalars[..<scalars.index(before: end)]) + "…"
    }
}
