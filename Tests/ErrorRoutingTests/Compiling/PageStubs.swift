import TestSupport

/// The parts of other packages that the pages use, because this package doesn't depend on them.
///
/// They have the signatures of the real declarations, and aren't run.
enum PageStubs {
    private static let all = [
        "GRDB": grdb, "HTTPTypes": httpTypes, "Jobs": jobs, "Logging": logging, "PostgresNIO": postgresNIO,
        "Queues": queues, "ServiceLifecycle": serviceLifecycle, "Vapor": vapor,
    ]

    /// Returns the stubs of the modules that some snippets import.
    static func imported(by snippets: [String]) throws -> [String: String] {
        // The fault lab runs the page's code against this stub, with the real HTTPTypes.
        var all = all
        let runtime = "Tests/Ecosystem/Stubs/swift-openapi-runtime/Sources/OpenAPIRuntime/OpenAPIRuntime.swift"
        all["OpenAPIRuntime"] = try Markdown.text(of: runtime)
        return all.filter { name, _ in snippets.contains { $0.contains("import \(name)\n") } }
    }

    /// swift-log.
    private static let logging = """
        public struct Logger: Sendable {
            public enum Level: String, Sendable { case debug, info, notice, warning, error, critical }
            public struct Message: ExpressibleByStringInterpolation { public init(stringLiteral value: String) {} }
            public enum MetadataValue { case string(String) }
            public init(label: String) {}
            public func log(
                level: Level, _ message: @autoclosure () -> Message,
                metadata: @autoclosure () -> [String: MetadataValue]? = nil, source: @autoclosure () -> String? = nil,
                file: String = #fileID, function: String = #function, line: UInt = #line
            ) {}
        }
        """

    /// swift-service-lifecycle 2.13.
    private static let serviceLifecycle = """
        public protocol Service: Sendable { func run() async throws }
        public actor ServiceGroup: Sendable { public func run() async throws {} }
        public struct ServiceGroupError: Error, Hashable, Sendable {
            public static func alreadyRunning(file: String = #fileID, line: Int = #line) -> Self { Self() }
            public static func alreadyFinished(file: String = #fileID, line: Int = #line) -> Self { Self() }
            public static func serviceFinishedUnexpectedly(
                file: String = #fileID, line: Int = #line, service: String? = nil
            ) -> Self { Self() }
        }
        public func cancelWhenGracefulShutdown<T: Sendable>(
            _ operation: @Sendable @escaping () async throws -> T
        ) async rethrows -> T { try await operation() }
        extension Task where Success == Never, Failure == Never {
            public static var isShuttingDownGracefully: Bool { false }
        }
        """

    /// swift-jobs 1.3.1, without its loggers and dates.
    private static let jobs = """
        public struct JobExecutionContext: Sendable { public let jobID: String; public let attempt: Int }
        public struct JobPushQueueContext { public let jobID: String; public let attempt: Int }
        public struct JobPopQueueContext { public let jobID: String }
        public struct JobCompletedQueueContext { public let jobID: String }
        public struct JobQueueError: Error, Equatable {
            public struct ErrorCode: Equatable, Sendable, CustomStringConvertible { public var description: String { "" } }
            public let code: ErrorCode
            public let jobName: String?
            public let details: String?
        }

        public protocol JobRetryStrategy: Sendable {
            func shouldRetry(attempt: Int, error: any Error) -> Bool
            func calculateBackoff(attempt: Int) -> Duration
        }
        public struct ExponentialJitterJobRetryStrategy: JobRetryStrategy {
            public init(
                maxAttempts: Int = 4, maxBackoff: Duration = .seconds(120), minJitter: Double = -0.5,
                maxJitter: Double = 0.5
            ) {}
            public func shouldRetry(attempt: Int, error: any Error) -> Bool { false }
            public func calculateBackoff(attempt: Int) -> Duration { .zero }
        }

        public protocol JobParameters: Codable, Sendable { static var jobName: String { get } }
        public protocol JobInstanceProtocol: Sendable {
            associatedtype Parameters: Sendable & Codable
            var retryStrategy: any JobRetryStrategy { get }
            var attempt: Int { get }
            var parameters: Parameters { get }
            var name: String { get }
            var timeout: Duration? { get }
            func execute(context: JobExecutionContext) async throws
        }
        extension JobInstanceProtocol { public func shouldRetry(error: any Error) -> Bool { false } }

        public protocol JobMiddleware: Sendable {
            func onPushJob<Parameters>(name: String, parameters: Parameters, context: JobPushQueueContext) async
            func onPopJob(result: Result<any JobInstanceProtocol, JobQueueError>, context: JobPopQueueContext) async
            func handleJob(
                job: any JobInstanceProtocol, context: JobExecutionContext,
                next: (any JobInstanceProtocol, JobExecutionContext) async throws -> Void
            ) async throws
            func onCompletedJob(
                job: any JobInstanceProtocol, result: Result<Void, any Error>, context: JobCompletedQueueContext
            ) async
        }
        extension JobMiddleware {
            public func onPushJob<Parameters>(
                name: String, parameters: Parameters, context: JobPushQueueContext
            ) async {}
            public func onPopJob(
                result: Result<any JobInstanceProtocol, JobQueueError>, context: JobPopQueueContext
            ) async {}
            public func handleJob(
                job: any JobInstanceProtocol, context: JobExecutionContext,
                next: (any JobInstanceProtocol, JobExecutionContext) async throws -> Void
            ) async throws { try await next(job, context) }
            public func onCompletedJob(
                job: any JobInstanceProtocol, result: Result<Void, any Error>, context: JobCompletedQueueContext
            ) async {}
        }

        public protocol JobQueueProtocol: Sendable {}
        extension JobQueueProtocol {
            public func registerJob<Parameters: JobParameters>(
                parameters: Parameters.Type = Parameters.self, retryStrategy: (any JobRetryStrategy)? = nil,
                timeout: Duration? = nil,
                execute: @escaping @Sendable (Parameters, JobExecutionContext) async throws -> Void
            ) {}
        }
        """
}
