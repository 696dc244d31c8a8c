import ErrorRouting
import Foundation

/// Returns an error without what may be secret: a URL's query, or what comes from the body of a request or response.
///
/// The cause of a `NetworkError` is kept under it, and so can come into logs. Errors of Foundation's that are known to
/// contain secrets are copied without them; any other error is returned as it is.
func withoutSecrets(_ error: any Error) -> any Error {
    if let found = urlError.match(error), error is URLError || type(of: error) is NSError.Type {
        return URLError(_nsError: found).withoutSecrets
    }
    if let error = decodingError.match(error) { return error.withoutSecrets }
    if let error = encodingError.match(error) { return error.withoutSecrets }
    return error
}

// By the domain and not by the type: on Linux `URLError` does not know some codes.
private let urlError = ErrorMatcher.nsError(domain: NSURLErrorDomain)
private let decodingError = ErrorMatcher.type(DecodingError.self)
private let encodingError = ErrorMatcher.type(EncodingError.self)

extension URLError {
    /// The error with its URL without user and query, and without other user info that may contain them.
    fileprivate var withoutSecrets: URLError {
        var kept: [String: Any] = [:]
        if let url = failingURL, let shown = URL(string: url.withoutSecrets) {
            kept[NSURLErrorFailingURLErrorKey] = shown
        }
        if let text = errorUserInfo[NSLocalizedDescriptionKey] as? String,
            !text.utf8.contains(where: "?#@".utf8.contains)
        {
            kept[NSLocalizedDescriptionKey] = text
        }
        // An `NSError` of the system repeats the URL in its user info; an error of a transport does not.
        if let cause = errorUserInfo[NSUnderlyingErrorKey] as? any Error, !(type(of: cause) is AnyClass) {
            kept[NSUnderlyingErrorKey] = HTTPErrors.withoutSecrets(cause)
        }
        // Not `URLError(code)`: the code may have no name on Linux.
        return URLError(_nsError: NSError(domain: NSURLErrorDomain, code: errorCode, userInfo: kept))
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
        stringValue = isCase || index != nil ? key.stringValue : "*"
        intValue = index
    }

    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
}
