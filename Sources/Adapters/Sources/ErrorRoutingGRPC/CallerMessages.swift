#if GRPC
    public import ErrorRouting
    public import GRPCCore

    /// A call's messages.
    ///
    /// An error while they are received or read is the caller's error.
    struct CallerMessages<Element: Sendable>: AsyncSequence, Sendable {
        struct AsyncIterator: AsyncIteratorProtocol {
            var messages: RPCAsyncSequence<Element, any Error>.AsyncIterator

            mutating func next() async throws -> Element? { try await next(isolation: nil) }

            mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Element? {
                do { return try await messages.next(isolation: actor) } catch {
                    throw (error as? RPCError).map { UnreadableMessage(error: $0) } ?? error
                }
            }
        }

        let messages: RPCAsyncSequence<Element, any Error>

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(messages: messages.makeAsyncIterator()) }
    }

    /// A message of a call could not be received or read.
    ///
    /// gRPC's own error is an `RPCError`, like the status of another service. So ``ErrorReportingInterceptor`` wraps it
    /// where the error certainly comes from this call's messages. The caller receives its status.
    public struct UnreadableMessage: Error, RPCErrorConvertible, UnderlyingErrorsProviding, CustomStringConvertible {
        /// gRPC's error.
        public let error: RPCError

        /// The error's code.
        public var rpcErrorCode: RPCError.Code { error.code }
        /// The error's message.
        public var rpcErrorMessage: String { error.message }
        /// The error's metadata.
        public var rpcErrorMetadata: Metadata { error.metadata }
        /// gRPC's error.
        public var underlyingErrors: [any Error] { [error] }

        /// Describes the failure; gRPC's error is in the report's trail.
        public var description: String { "a message of the call could not be read" }
    }
#endif
