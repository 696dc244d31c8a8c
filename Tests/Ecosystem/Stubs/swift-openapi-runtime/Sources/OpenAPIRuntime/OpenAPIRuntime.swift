// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The declarations of swift-openapi-runtime 1.11.0 that the page "With OpenAPI" uses, with their signatures.
//
// The tests run the page's code against these declarations. A body is always in memory, and errors aren't wrapped as in
// the generated code; the tests wrap them themselves.

public import Foundation
public import HTTPTypes

public enum IterationBehavior: Sendable { case single, multiple }

public final class HTTPBody: Sendable {
    public enum Length: Sendable, Equatable { case unknown, known(Int64) }

    public let iterationBehavior: IterationBehavior
    fileprivate let bytes: Data

    public init(_ bytes: some Collection<UInt8> & Sendable, length: Length, iterationBehavior: IterationBehavior) {
        (self.bytes, self.iterationBehavior) = (Data(bytes), iterationBehavior)
    }

    public convenience init(_ data: Data) {
        self.init(data, length: .known(Int64(data.count)), iterationBehavior: .multiple)
    }
}

extension Data {
    public init(collecting body: HTTPBody, upTo maxBytes: Int) async throws { self = body.bytes.prefix(maxBytes) }
}

public struct ClientError: Error {
    public var operationID: String
    public var causeDescription: String
    public var underlyingError: any Error

    // The real initializer has further parameters with default values.
    public init(
        operationID: String, operationInput: any Sendable, causeDescription: String, underlyingError: any Error
    ) {
        (self.operationID, self.causeDescription) = (operationID, causeDescription)
        self.underlyingError = underlyingError
    }
}

public protocol HTTPResponseConvertible {
    var httpStatus: HTTPResponse.Status { get }
    var httpHeaderFields: HTTPFields { get }
    var httpBody: HTTPBody? { get }
}

extension HTTPResponseConvertible {
    public var httpHeaderFields: HTTPFields { [:] }
    public var httpBody: HTTPBody? { nil }
}

public struct ServerError: Error, HTTPResponseConvertible {
    public var operationID: String
    public var causeDescription: String
    public var underlyingError: any Error
    public var httpStatus: HTTPResponse.Status
    public var httpHeaderFields: HTTPFields
    public var httpBody: HTTPBody?

    public init(
        operationID: String, request: HTTPRequest, requestBody: HTTPBody?, requestMetadata: ServerRequestMetadata,
        causeDescription: String, underlyingError: any Error
    ) {
        (self.operationID, self.causeDescription) = (operationID, causeDescription)
        self.underlyingError = underlyingError
        let own = underlyingError as? any HTTPResponseConvertible
        httpStatus = own?.httpStatus ?? .internalServerError
        httpHeaderFields = own?.httpHeaderFields ?? [:]
        httpBody = own?.httpBody
    }
}

public struct ServerRequestMetadata: Hashable, Sendable {
    public init() {}
}

public protocol ClientMiddleware: Sendable {
    func intercept(
        _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String,
        next: @Sendable (HTTPRequest, HTTPBody?, URL) async throws -> (HTTPResponse, HTTPBody?)
    ) async throws -> (HTTPResponse, HTTPBody?)
}

public protocol ServerMiddleware: Sendable {
    func intercept(
        _ request: HTTPRequest, body: HTTPBody?, metadata: ServerRequestMetadata, operationID: String,
        next: @Sendable (HTTPRequest, HTTPBody?, ServerRequestMetadata) async throws -> (HTTPResponse, HTTPBody?)
    ) async throws -> (HTTPResponse, HTTPBody?)
}
