extension PageStubs {
    /// Vapor 4.122.0, with what it exports of Foundation, SwiftNIO, and swift-log.
    static let vapor = """
        @_exported import Foundation

        public struct Logger: Sendable {
            public enum Level: String, Sendable { case trace, debug, info, notice, warning, error, critical }
            public struct Message: ExpressibleByStringInterpolation { public init(stringLiteral value: String) {} }
            public func log(
                level: Level, _ message: @autoclosure () -> Message, metadata: @autoclosure () -> [String: String]? = nil,
                source: @autoclosure () -> String? = nil, file: String = #fileID, function: String = #function,
                line: UInt = #line
            ) {}
        }
        public enum LoggingSystem {
            public static func bootstrap(from environment: inout Environment) throws {}
        }
        public struct Environment: Sendable, Equatable {
            public static func detect() throws -> Environment { Environment() }
        }

        public struct HTTPHeaders: ExpressibleByDictionaryLiteral, Sendable {
            public init(dictionaryLiteral elements: (String, String)...) {}
            public mutating func replaceOrAdd(name: String, value: String) {}
        }
        public enum HTTPMethod: Sendable { case GET, RAW(value: String) }
        public enum HTTPResponseStatus: Sendable {
            case ok
            public init(statusCode: Int, reasonPhrase: String = "") { self = .ok }
            public var code: UInt { 200 }
            public var reasonPhrase: String { "OK" }
        }
        public enum PathComponent: CustomStringConvertible, Sendable {
            case constant(String)
            public var description: String { "" }
        }
        public final class Route: CustomStringConvertible, Sendable {
            public var path: [PathComponent] { [] }
            public var description: String { "" }
        }
        public struct URI: Sendable { public var path: String }
        public final class Request: CustomStringConvertible, Sendable {
            public var method: HTTPMethod { .GET }
            public var url: URI { URI(path: "") }
            public let id = ""
            public var route: Route? { nil }
            public var description: String { "" }
        }
        public final class Response: @unchecked Sendable {
            public struct Body: Sendable {
                public static let empty = Body(data: Data())
                public init(data: Data) {}
            }
            public var headers: HTTPHeaders
            public init(status: HTTPResponseStatus = .ok, headers: HTTPHeaders = [:], body: Body = .empty) {
                self.headers = headers
            }
        }

        public struct ErrorSource: Sendable { public var file: String, line: UInt }
        public protocol AbortError: Error {
            var reason: String { get }
            var status: HTTPResponseStatus { get }
            var headers: HTTPHeaders { get }
        }
        public protocol DebuggableError: LocalizedError, CustomDebugStringConvertible, CustomStringConvertible {
            var identifier: String { get }
            var reason: String { get }
            var source: ErrorSource? { get }
        }

        public protocol AsyncResponder: Sendable { func respond(to request: Request) async throws -> Response }
        public protocol Middleware: Sendable {}
        public protocol AsyncMiddleware: Middleware {
            func respond(to request: Request, chainingTo next: AsyncResponder) async throws -> Response
        }
        public struct Middlewares: Sendable { public mutating func use(_ middleware: Middleware) {} }
        public final class Application: @unchecked Sendable {
            public var logger: Logger { Logger() }
            public var middleware = Middlewares()
            public static func make(_ environment: Environment) async throws -> Application { Application() }
            public func execute() async throws {}
            public func asyncShutdown() async throws {}
        }
        """

    /// queues 1.17.3.
    static let queues = """
        public protocol AsyncJobEventDelegate: Sendable { func error(jobId: String, error: any Error) async throws }
        """

    /// swift-http-types 1.8.0.
    static let httpTypes = """
        public struct HTTPField: Sendable {
            public struct Name: Sendable {
                public static var contentType: Self { Self() }
                public static var date: Self { Self() }
                public static var retryAfter: Self { Self() }
            }
        }
        public struct HTTPFields: ExpressibleByDictionaryLiteral, Sendable {
            public init(dictionaryLiteral elements: (HTTPField.Name, String)...) {}
            public subscript(name: HTTPField.Name) -> String? { get { nil } set {} }
        }
        public struct HTTPRequest: Sendable {
            public struct Method: Hashable, Sendable {
                public static var get: Self { Self() }
                public static var head: Self { Self() }
                public static var put: Self { Self() }
                public static var delete: Self { Self() }
                public static var options: Self { Self() }
            }
            public var method: Method
        }
        public struct HTTPResponse: Sendable {
            public struct Status: Hashable, Sendable {
                public static var internalServerError: Self { Self(code: 500) }
                public let code: Int
                public let reasonPhrase = ""
                public init(code: Int, reasonPhrase: String = "") { self.code = code }
            }
            public var status: Status
            public var headerFields: HTTPFields
            public init(status: Status, headerFields: HTTPFields = [:]) {
                (self.status, self.headerFields) = (status, headerFields)
            }
        }
        """

    /// PostgresNIO 1.33.1.
    static let postgresNIO = """
        public struct PSQLError: Error, @unchecked Sendable {
            public struct Code: Sendable, Hashable, CustomStringConvertible { public var description: String { "" } }
            public struct ServerInfo {
                public struct Field: Hashable, Sendable {
                    public static let sqlState = Self()
                    public static let message = Self()
                }
                public subscript(field: Field) -> String? { nil }
            }
            public var code: Code { Code() }
            public var serverInfo: ServerInfo? { nil }
        }
        """

    /// GRDB 7.10.
    static let grdb = """
        public struct ResultCode: RawRepresentable, Equatable, Sendable {
            public let rawValue: Int32
            public init(rawValue: Int32) { self.rawValue = rawValue }
            public static let SQLITE_BUSY = ResultCode(rawValue: 5)
            public static let SQLITE_CONSTRAINT_UNIQUE = ResultCode(rawValue: 2067)
        }
        public struct DatabaseError: Error, CustomStringConvertible {
            public var resultCode: ResultCode { extendedResultCode }
            public let extendedResultCode: ResultCode
            public let message: String?
            public var description: String { "" }
        }
        """
}
