import Foundation

// Causes are kept under a `NetworkError`, and so come into logs, where a request's query, its body and an answer's have
// no place. What is known to carry them is copied without.

extension URLError {
    /// The error without the query of its URL, and without what else may have it.
    var withoutSecrets: URLError {
        var kept: [String: Any] = [:]
        if let url = failingURL, let shown = URL(string: url.withoutSecrets) {
            kept[NSURLErrorFailingURLErrorKey] = shown
        }
        if let text = errorUserInfo[NSLocalizedDescriptionKey] as? String, !text.contains("?") {
            kept[NSLocalizedDescriptionKey] = text
        }
        // Not by its code, which may have no name on Linux.
        return URLError(_nsError: NSError(domain: NSURLErrorDomain, code: errorCode, userInfo: kept))
    }
}

extension DecodingError {
    /// The error with its coding path, and without what the decoder says of values.
    var withoutSecrets: DecodingError {
        switch self {
        case .dataCorrupted(let context):
            // Of a whole body the decoder says no more than that it is no JSON.
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
