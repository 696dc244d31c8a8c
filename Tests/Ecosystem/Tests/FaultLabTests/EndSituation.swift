import Foundation

/// A situation in which a service ends, and the steps that cause it.
struct EndSituation: Sendable {
    let name: String
    /// The name of the situation if the service causes it itself; otherwise empty.
    private let situation: String
    private let act: @Sendable (ServiceProcess) async throws -> Void

    private init(
        _ name: String, _ situation: String = "",
        _ act: @escaping @Sendable (ServiceProcess) async throws -> Void = { _ in }
    ) {
        (self.name, self.situation, self.act) = (name, situation, act)
    }

    /// Starts the service and returns its process after the last step before its end.
    func run() async throws -> ServiceProcess {
        if name == Self.portInUse { return try await Self.withService { try Self.start(["PORT": "\($1)"]) } }
        if name == Self.upstreamKilled { return try await Self.killUpstream() }
        let process = try Self.start(["SITUATION": situation])
        try await act(process)
        return process
    }

    static let all = [
        EndSituation("`exit` before the group runs", "exit before the group"),
        EndSituation("`exit` in a request, while a rule handles the error", "exit in a request") { process in
            try await send("/cache", to: process)
        },
        EndSituation("`exit` after the group has returned", "exit after the group") { process in
            _ = try await port(of: process)
            process.send(SIGTERM)
        },
        EndSituation("`beforeServerStarts` throws", "fail before the server"),
        EndSituation(portInUse),
        EndSituation("SIGTERM before the group runs", "wait before the group", terminate),
        EndSituation(
            "SIGTERM while `beforeServerStarts` runs past the application's time limit", "wait before the server",
            terminate),
        EndSituation("SIGTERM after a request has posted an error") { process in
            try await send("/cache", to: process)
            process.send(SIGTERM)
        },
        EndSituation("SIGTERM during a request, which then posts an error") { process in
            try await send("/slow?seconds=2", to: process, then: terminate)
        },
        EndSituation("SIGTERM during a request that runs past the application's time limit") { process in
            try await send("/slow?seconds=60", to: process, then: terminate)
        },
        EndSituation("SIGTERM while a bus task runs past the time limit for tasks") { process in
            try await send("/task", to: process, then: terminate)
        },
        EndSituation("SIGTERM, then a second SIGTERM during the shutdown") { process in
            try await send("/slow?seconds=2", to: process) { process in
                try await terminate(process)
                try await process.line("the first signal") { $0.text.contains("Signal caught") }
                process.send(SIGTERM)
            }
        },
        EndSituation(upstreamKilled),
        EndSituation("SIGKILL after a request has posted an error") { process in
            try await send("/cache", to: process)
            try await process.line("the error") { $0.text.contains("exception.type=") }
            process.send(SIGKILL)
        },
    ]

    private static let portInUse = "the port is in use"
    private static let upstreamKilled = "SIGKILL kills an upstream during a request; SIGTERM follows"

    private static func start(_ variables: [String: String]) throws -> ServiceProcess {
        try ServiceProcess("EndingService", variables)
    }

    /// Runs the service until the body has returned.
    private static func withService(
        _ body: (ServiceProcess, _ port: Int) async throws -> ServiceProcess
    ) async throws -> ServiceProcess {
        let first = try start([:])
        defer { first.send(SIGKILL) }
        let process = try await body(first, try await port(of: first))
        _ = try await process.end()
        return process
    }

    private static func killUpstream() async throws -> ServiceProcess {
        try await withService { upstream, port in
            let process = try start(["UPSTREAM_URL": "http://127.0.0.1:\(port)/slow?seconds=60"])
            try await Caller.withCaller(port: try await Self.port(of: process)) { caller in
                async let answer = caller.send(ServiceRequest(path: "/call", status: 502))
                try await upstream.line("the request") { $0.text.contains("waiting") }
                upstream.send(SIGKILL)
                _ = try await answer
            }
            process.send(SIGTERM)
            return process
        }
    }

    /// Sends SIGTERM when the service waits.
    private static let terminate: @Sendable (ServiceProcess) async throws -> Void = { process in
        try await process.line("that it waits") { $0.text.contains("waiting") }
        process.send(SIGTERM)
    }

    /// Sends a request, and acts while it runs.
    ///
    /// The service might end before it answers.
    private static func send(
        _ path: String, to process: ServiceProcess,
        then act: @Sendable (ServiceProcess) async throws -> Void = { _ in }
    ) async throws {
        try await Caller.withCaller(port: try await port(of: process)) { caller in
            async let answer = try? caller.send(ServiceRequest(path: path, status: 200))
            try await act(process)
            _ = await answer
        }
    }

    private static func port(of process: ServiceProcess) async throws -> Int {
        func port(_ line: LogLine) -> Int? {
            line.text.firstMatch(of: /listening on 127\.0\.0\.1:([0-9]+)/).flatMap { Int($0.1) }
        }
        let line = try await process.line("its port") { $0.text.contains("listening on 127.0.0.1:") }
        guard let port = port(line) else { throw CocoaError(.formatting) }
        return port
    }
}
