import Foundation

// The cause of a `NetworkError` is kept under it, and so can come into logs. Logs must not contain a URL's query or the
// body of a request or answer. So errors that are known to contain them are copied without them.

extension URLError {
    /// The error without its URL's query, and without other user info that may contain the query.
    var withoutSecrets: URLError {
        var kept: [String: Any] = [:]
        if let url = failingURL, let shown = URL(string: url.withoutSecrets) {
            kept[NSURLErrorFailingURLErrorKey] = shown
        }
        if let text = errorUserInfo[NSLocalizedDescriptionKey] as? String, !text.contains("?") {
            kept[NSLocalizedDescriptionKey] = text
        }
        // Not `URLError(code)`: the code may have no name on Linux.
        return URLError(_nsError: NSError(domain: NSURLErrorDomain, code: errorCode, userInfo: kept))
    }
}

extension DecodingError {
    /// The error with its coding path, and without the decoder's text, which may contain values.
    var withoutSecrets: DecodingError {
        switch self {
        case .dataCorrupted(let context):
            // With an empty coding path the whole body is corrupted: it is not JSON.
            let text = context.codingPath.isEmpty ? "The body is not valid JSON." : "The value is not valid."
            return .dataCorrupted(Context(codingPath: context.codingPath, debugDescription: text))
        case .typeMismatch(let type, let context):
            let text = "The value is not of type \(type)."
            return .typeMismatch(type, Context(codingPath: context.codingPath, debugDescription: text))
        case .valueNotFound(let type, let context):
            let text = "There is null in place of \(type)."
            return .valueNotFound(type, Context(codingPath: context.codingPath, debugDescription: text))
        case .keyNotFound(let key, let context):
            let text = "There is no value for \(key.stringValue)."
            return .keyNotFound(key, Context(codingPath: context.codingPath, debugDescription: text))
        @unknown default:
            return self
        }
    }
}

extension EncodingError {
    /// The error with its coding path, and without the value.
    var withoutSecrets: EncodingError {
        switch self {
        case .invalidValue(let value, let context):
            let kept = Context(codingPath: context.codingPath, debugDescription: "The value cannot be encoded.")
            return .invalidValue("\(type(of: value))", kept)
        @unknown default:
            return self
        }
    }
}
