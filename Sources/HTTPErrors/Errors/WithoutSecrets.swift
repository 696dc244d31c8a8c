import ErrorRecovery
import ErrorRouting
import Foundation

/// Returns an error without possible secrets: a URL's query, and values from the body of a request or response.
///
/// A `NetworkError` keeps its cause, which can therefore reach logs. Foundation's errors might contain secrets, so the
/// function returns copies that don't contain the secrets. Any other error is returned unchanged.
///
/// `basePath` is the path of a client's base, which is removed from URLs; it is empty if unknown. `depth` is how many
/// errors this error is wrapped in.
func withoutSecrets(_ error: any Error, below basePath: String = "", depth: Int = 0) -> any Error {
    // Unbox the error: generic code might have wrapped it in another existential box.
    let error = ErrorMatcher.any.match(error) ?? error
    if let found = urlError.match(error), error is URLError || type(of: error) is NSError.Type {
        // Don't use `URLError(code)`, because on Linux the code might not have a name.
        return URLError(_nsError: found.withoutSecrets(basePath, depth))
    }
    if let error = decodingError.match(error) { return error.withoutSecrets }
    if let error = encodingError.match(error) { return error.withoutSecrets }
    if let error = refusal.match(error) {
        let cause = withoutSecrets(error.cause, below: basePath, depth: depth + 1)
        return CircuitOpen(name: error.name, retryAfter: error.retryAfter, cause: cause)
    }
    // Compare the exact type: a subclass belongs to the application, and on Linux every `NSError` is a `CocoaError`.
    if type(of: error) == NSError.self { return (error as NSError).withoutSecrets(basePath, depth) }
    if type(of: error) == CocoaError.self {
        return CocoaError(_nsError: (error as NSError).withoutSecrets(basePath, depth))
    }
    return (error as? NetworkError)?.hiding(basePath) ?? error
}

// Match the domain instead of the type, because on Linux `URLError` doesn't define some codes.
private let urlError = ErrorMatcher.nsError(domain: NSURLErrorDomain)
private let decodingError = ErrorMatcher.type(DecodingError.self)
private let encodingError = ErrorMatcher.type(EncodingError.self)
private let refusal = ErrorMatcher.type(CircuitOpen.self)

extension NSError {
    /// The error without the parts of its user info that might contain secrets: a URL's user and query, strings that
    /// might contain such a URL, and values with unknown content, such as a response or a body.
    fileprivate func withoutSecrets(_ basePath: String, _ depth: Int) -> NSError {
        let kept = userInfo.compactMapValues { value in
            // Drop the system's underlying errors, which repeat this error, but keep underlying errors that a transport
            // added.
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
        // Visit as many levels as `anywhere` does, because a deeper error could overflow the stack.
        case let error as any Error where depth < 16:
            HTTPErrors.withoutSecrets(error, below: basePath, depth: depth + 1)
        case let errors as [any Error] where depth < 16:
            errors.map { HTTPErrors.withoutSecrets($0, below: basePath, depth: depth + 1) }
        default: nil
        }
    }
}

extension DecodingError {
    /// The error without the decoder's message, which might contain values.
    ///
    /// Its coding path shows only the program's own keys.
    fileprivate var withoutSecrets: DecodingError {
        func context(_ context: Context, _ text: String) -> Context {
            Context(codingPath: context.codingPath.map(KnownKey.init), debugDescription: text)
        }
        switch self {
        case .dataCorrupted(let old):
            // An empty coding path means that the whole body is corrupted: it isn't JSON.
            let whole = BodyFault(rawValue: old.debugDescription)?.rawValue ?? "The body is not valid JSON."
            let text = old.codingPath.isEmpty ? whole : "The value is not valid."
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
    /// The error without the value.
    ///
    /// Its coding path shows only the program's own keys.
    fileprivate var withoutSecrets: EncodingError {
        guard case .invalidValue(let value, let context) = self else { return self }
        let path = context.codingPath.map(KnownKey.init)
        let kept = Context(codingPath: path, debugDescription: "The value cannot be encoded.")
        return .invalidValue("\(type(of: value))", kept)
    }
}

/// A coding path's key in a form that is safe for logs.
///
/// An index, or an enum case without a payload, is the program's own key. Any other key, such as a dictionary key,
/// might come from a body, so it is shown as `*`.
private struct KnownKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ key: any CodingKey) {
        let index = key.intValue.flatMap { key.stringValue == "Index \($0)" ? $0 : nil }
        let mirror = Mirror(reflecting: key)
        let isCase = mirror.displayStyle == .enum && mirror.children.isEmpty
        // Keep the string of a `KnownKey`, because an error can be processed twice.
        stringValue = isCase || index != nil || key is KnownKey ? key.stringValue : "*"
        intValue = index
    }

    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
}
