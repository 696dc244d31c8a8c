#if GRPC
    public import ErrorRouting
    public import GRPCCore

    /// A call's messages.
    ///
    /// An error thrown while receiving or decoding them is attributed to the caller.
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

    /// The error for a call's message that couldn't be received or decoded.
    ///
    /// gRPC's own error is an `RPCError`, like the status of another service. So ``ErrorReportingInterceptor`` wraps
    /// the error where it certainly comes from this call's messages. The caller receives the wrapped error's status.
    public struct UnreadableMessage: Error, RPCErrorConvertible, UnderlyingErrorsProviding, CustomStringConvertible {
        /// gRPC's error.
        public let error: RPCError

        /// The code of gRPC's error.
        public var rpcErrorCode: RPCError.Code { error.code }
        /// The message of gRPC's error.
        public var rpcErrorMessage: String { error.message }
        /// The metadata of gRPC's error.
        public var rpcErrorMetadata: Metadata { error.metadata }
        /// gRPC's error.
        public var underlyingErrors: [any Error] { [error] }

        /// The failure, without gRPC's error, which is among the report's underlying errors.
        public var description: String { "a message of the call could not be read" }
    }
#endif
