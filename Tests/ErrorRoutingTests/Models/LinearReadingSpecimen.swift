extension LinearReading {
    enum Kind: String, Sendable, CaseIterable {
        case payment, shade, opaque, timeout, offline, reading, localized, foreign, animal, bird, owl
        case nsError, url, cocoa, posix, group, wrapped, failure, journal
    }

    /// An error as plain data, with every property that the design refers to.
    indirect enum Specimen: Equatable, Sendable, CustomStringConvertible {
        /// `declined` contains a code; `expired` and `unavailable` don't.
        case declined(Int), expired, unavailable
        case dark(Int), light
        case coded(Int), plain
        case timeout(Int)
        case offline
        /// Nil represents NaN.
        case reading(Int?)
        case localized(String)
        case foreign(Int)
        case animal(Kind, name: String)
        /// A single wrapped error is stored under one key, and several under the other.
        case nsError(domain: String, code: Int, under: [Specimen])
        case url(Int), cocoa(Int), posix(Int)
        case group([Specimen])
        case wrapped(Specimen)
        case failure(Int, Specimen)
        case journal([Specimen])
    }
}

extension LinearReading.Specimen {
    typealias Kind = LinearReading.Kind

    static let urlDomain = "NSURLErrorDomain"
    static let cocoaDomain = "NSCocoaErrorDomain"
    static let posixDomain = "NSPOSIXErrorDomain"
    static let urlCodes = [-1001, -999, -1003]
    static let posixCodes = [1, 2, 3, 4, 13]

    var kind: Kind {
        switch self {
        case .declined, .expired, .unavailable: .payment
        case .dark, .light: .shade
        case .coded, .plain: .opaque
        case .timeout: .timeout
        case .offline: .offline
        case .reading: .reading
        case .localized: .localized
        case .foreign: .foreign
        case .animal(let kind, _): kind
        case .nsError: .nsError
        case .url: .url
        case .cocoa: .cocoa
        case .posix: .posix
        case .group: .group
        case .wrapped: .wrapped
        case .failure: .failure
        case .journal: .journal
        }
    }

    var description: String {
        if case .nsError(_, _, let under) = self, !under.isEmpty { "\(signature) over \(under)" } else { signature }
    }

    /// A string that identifies the error, without its underlying errors if `NSError` omits them.
    var signature: String {
        switch self {
        case .declined(let number), .dark(let number), .coded(let number), .timeout(let number), .foreign(let number),
            .url(let number), .cocoa(let number), .posix(let number):
            "\(kind)(\(number))"
        case .expired: "expired"
        case .unavailable: "unavailable"
        case .light: "light"
        case .plain: "plain"
        case .offline: "offline"
        case .reading(let number): "reading(\(number ?? -1))"
        case .localized(let text): "localized(\(text))"
        case .animal(let kind, let name): "\(kind)(\(name))"
        case .nsError(let domain, let code, _): "nsError(\(domain), \(code))"
        case .group(let under): "group(\(under.signatures))"
        case .wrapped(let under): "wrapped(\(under.signature))"
        case .failure(let number, let under): "failure(\(number), \(under.signature))"
        case .journal(let under): "journal(\(under.signatures))"
        }
    }

    /// A number that some errors contain.
    var number: Int? {
        switch self {
        case .declined(let number), .dark(let number), .coded(let number), .timeout(let number), .foreign(let number),
            .url(let number), .cocoa(let number), .posix(let number), .nsError(_, let number, _),
            .failure(let number, _):
            number
        case .animal(_, let name): name.count
        default: nil
        }
    }

    /// Promise 6: by dynamic type; subclasses; the three bridged types by their domain.
    func seen(as wanted: Kind) -> Self? {
        switch (self, wanted) {
        case (.nsError(Self.urlDomain, let code, _), .url): Self.urlCodes.contains(code) ? .url(code) : nil
        case (.nsError(Self.cocoaDomain, let code, _), .cocoa): .cocoa(code)
        case (.nsError(Self.posixDomain, let code, _), .posix): Self.posixCodes.contains(code) ? .posix(code) : nil
        case (.animal, .animal), (.animal(.owl, _), .bird): self
        default: kind == wanted ? self : nil
        }
    }

    /// Promise 7: the same dynamic type, and equal; an `NSError` without user info is read as one of the three types.
    func seen(equalTo value: Self) -> Self? {
        if case .reading(nil) = self { return nil }
        if case .nsError(_, _, []) = self { return seen(as: value.kind) == value ? value : nil }
        return self == value ? self : nil
    }

    /// Promise 8: domain and code of `as NSError`.
    var domainAndCode: (domain: String, code: Int) {
        switch self {
        // Swift numbers cases with payloads first.
        case .declined, .dark, .coded, .failure: (swiftDomain, 0)
        case .unavailable: (swiftDomain, 2)
        case .foreign(let code): ("zoo.foreign", code)
        case .nsError(let domain, let code, _): (domain, code)
        case .url(let code): (Self.urlDomain, code)
        case .cocoa(let code): (Self.cocoaDomain, code)
        case .posix(let code): (Self.posixDomain, code)
        default: (swiftDomain, 1)
        }
    }

    private var swiftDomain: String {
        "ErrorRoutingTests.Zoo.\(kind.rawValue.prefix(1).uppercased() + kind.rawValue.dropFirst())"
    }

    /// Promise 10.
    func conforms(to conformance: LinearReading.Conformance) -> Bool {
        switch conformance {
        case .retryable: [.timeout, .shade, .bird, .owl, .localized].contains(kind)
        case .localized: kind == .localized
        case .underlying: kind == .group
        }
    }

    /// The errors directly under this error.
    ///
    /// Promise 9.
    private var under: [Self] {
        switch self {
        case .group(let under), .journal(let under), .nsError(_, _, let under): under
        case .wrapped(let under), .failure(_, let under): [under]
        default: []
        }
    }

    /// Promise 9: the error and its underlying errors, breadth first, 64 at most.
    var visited: [Self] {
        var visited: [Self] = []
        var depth = [self]
        while !depth.isEmpty {
            visited += depth
            depth = depth.flatMap(\.under)
        }
        return Array(visited.prefix(64))
    }
}

extension [LinearReading.Specimen] {
    fileprivate var signatures: String { map(\.signature).joined(separator: ", ") }
}
