#if GRPC
    import ErrorRouting
    import ErrorRoutingGRPC
    import GRPCCore

    private func calls<Transport: ServerTransport>(
        _ transport: Transport, _ orders: some RegistrableRPCService
    ) -> GRPCServer<Transport> {
        let answers = ErrorMap(default: RPCError(code: .internalError, message: "Internal error"))
            .on(OrderMissing.self, RPCError(code: .notFound, message: "There is no such order"))
        let server = GRPCServer(
            transport: transport, services: [orders], interceptors: [ErrorReportingInterceptor(answers)])
        return server
    }
#endif
