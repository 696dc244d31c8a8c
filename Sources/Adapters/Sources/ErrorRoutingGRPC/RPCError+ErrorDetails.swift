#if GRPC
    public import ErrorRouting
    public import GRPCCore

    extension RPCError: @retroactive ErrorDetailsProviding {
        /// The name of the status code, such as `unavailable`.
        public var errorDetails: ErrorDetails { ErrorDetails(kind: code.description) }
    }
#endif
