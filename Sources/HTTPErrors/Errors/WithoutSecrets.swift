import ErrorRecovery
import ErrorRouting
import Foundation

/// Returns an error without what may be secret: a URL's query, or what comes from the body of a request or response.
///
/// The cause of a `NetworkError` is kept under it, and so can come into logs. Errors of Foundation's, which may contain
/// secrets, are copied without them; any other error is returned as it is.
///
/// - Parameters:
///   - error: The error.
///   - basePath: The path of a client's base, which is left out of URLs; empty if it is not known.
///   - depth: How many errors it is under.
func withoutSecrets(_ error: any Error, below basePath: String = "", depth: Int = 0) -> any Error {
    // Generic code may have boxed it once more.
    let error = ErrorMatcher.any.match(error) ?? error
    if let found = urlError.match(error), error is URLError || type(of: error) is NSError.Type {
        // Not `URLError(code)`: the code may have no name on Linux.
        return URLError(_nsError: found.withoutSecrets(basePath, depth))
    }
    if let error = decodingError.match(error) { return error.withoutSecrets }
    if let error = encodingError.match(error) { return error.withoutSecrets }
    if let error = refusal.match(error) {
        let cause = withoutSecrets(error.cause, below: basePath, depth: depth + 1)
        return CircuitOpen(name: error.name, retryAfter: error.retryAfter, cause: cause)
    }
    // By the exact type: a subclass is the application's own, and on Linux every `NSError` is a `CocoaError`.
    if type(of: error) == NSError.self { return (error as NSError).withoutSecrets(basePath, depth) }
    if type(of: error) == CocoaError.self {
        return CocoaError(_nsError: (error as NSError).withoutSecrets(basePath, depth))
    }
    return (error as? NetworkError)?.hiding(basePath) ?? error
}

// By the domain and not by the type: on Linux `URLError` does not know some codes.
private let urlError = ErrorMatcher.nsError(domain: NSURLErrorDomain)
private let decodingError = ErrorMatcher.type(DecodingError.self)
private let encodingError = ErrorMatcher.type(EncodingError.self)
private let refusal = ErrorMatcher.type(CircuitOpen.self)

extension NSError {
    /// The error without user info that may contain secrets: of a URL the user and the query, texts that may contain a
    /// URL with them, and values of which it is not known what they contain, such as a response or a body.
    fileprivate func withoutSecrets(_ basePath: String, _ depth: Int) -> NSError {
        let kept = userInfo.compactMapValues { value in
            // Under an error of the system's, another one says the same again; one of a transport's does not.
            domain == NSURLErrorDomain && type(of: value) is NSError.Type ? nil : Self.shown(value, basePath, depth)
        }
        return NSError(domain: domain, code: code, userInfo: kept)
    }

    private static func shown(_ value: Any, _ basePath: String, _ depth: Int) -> Any? {
        switch value {
        case let url as URL: URL(string: url.withoutSecrets(below: basePath))
        case let text as String where text.utf8.contains(where: "?#@".utf8.contains): nil
        case let text as String: !basePath.isEmpty && (text.contains(basePath) || text.contains("://")) ? nil : text
        case is any Numeric, is Bool, is NSNumber, is Date: value
        // As many as `anywhere` visits containers: a deeper one could take all of the stack.
        case let error as any Error where depth < 16:
            HTTPErrors.withoutSecrets(error, below: basePath, depth: depth + 1)
        case let errors as [any Error] where depth < 16:
            errors.map { HTTPErrors.withoutSecrets($0, below: basePath, depth: depth + 1) }
        default: nil
        }
    }
}

extension DecodingError {
    /// The error with the keys of its coding path that the program knows, and without the decoder's text, which may
    /// contain values.
    fileprivate var withoutSecrets: DecodingError {
        func context(_ context: Context, _ text: String) -> Context {
            Context(codingPath: context.codingPath.map(KnownKey.init), debugDescription: text)
        }
        switch self {
        case .dataCorrupted(let old):
            // With an empty coding path the whole body is corrupted: it is not JSON.
            let text = old.codingPath.isEmpty ? "The body is not valid JSON." : "The value is not valid."
            return .dataCorrupted(context(old, text))
        case .typeMismatch(let type, let old):
            return .typeMismatch(type, context(old, "The value is not of type \(type)."))
        case .valueNotFound(let type, let old):
            return .valueNotFound(type, context(old, "There is null in place of \(type)."))
        case .keyNotFound(let key, let old):
            let key = KnownKey(key)
            return .keyNotFound(key, context(old, "There is no value for \(key.stringValue)."))
        @unknown default:
            return .dataCorrupted(Context(codingPath: [], debugDescription: "The body cannot be decoded."))
        }
    }
}

extension EncodingError {
    /// The error with the keys of its coding path that the program knows, and without the value.
    fileprivate var withoutSecrets: EncodingError {
        guard case .invalidValue(let value, let context) = self else { return self }
        let path = context.codingPath.map(KnownKey.init)
        let kept = Context(codingPath: path, debugDescription: "The value cannot be encoded.")
        return .invalidValue("\(type(of: value))", kept)
    }
}

/// A key of a coding path as it may come into logs.
///
/// An index, and a case without payload of an enum of keys, are the program's own. Any other key, such as a
/// dictionary's, may come from a body, and is shown as `*`.
private struct KnownKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ key: any CodingKey) {
        let index = key.intValue.flatMap { key.stringValue == "Index \($0)" ? $0 : nil }
        let mirror = Mirror(reflecting: key)
        let isCase = mirror.displayStyle == .enum && mirror.children.isEmpty
        // An error that passes through here twice keeps its keys.
        stringValue = isCase || index != nil || key is KnownKey ? key.stringValue : "*"
        intValue = index
    }

    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
}
