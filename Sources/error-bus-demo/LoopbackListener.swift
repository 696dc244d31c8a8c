import Foundation

/// A socket that listens on a free port of this machine.
struct LoopbackListener: ~Copyable {
    let port: UInt16
    private let descriptor: Int32

    /// - Parameter backlog: How many connections may wait to be accepted.
    init(backlog: Int32 = 1) throws(POSIXError) {
        #if canImport(Glibc) || canImport(Musl)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, size) == 0 && listen(descriptor, backlog) == 0
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        // Limits how long `accept` blocks.
        var limit = timeval(tv_sec: 5, tv_usec: 0)
        let limitSize = socklen_t(MemoryLayout<timeval>.size)
        guard isListening, unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, limitSize) == 0 else {
            let failure = POSIXError.current
            close(descriptor)
            throw failure
        }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }

    /// Blocks the calling thread until a client connects, for 5 seconds at most.
    ///
    /// - Returns: The connection, which the caller has to close.
    func nextConnection() throws(POSIXError) -> Int32 {
        while true {
            let connection = accept(descriptor, nil, nil)
            if connection >= 0 { return connection }
            // `EINTR`: a signal interrupted the call.
            if errno != EINTR { throw .current }
        }
    }
}

/// An endpoint of this machine that accepts connections and never replies, so that a request stays under way.
struct SilentEndpoint: ~Copyable {
    let url: URL
    private let listener: LoopbackListener
    private var connections: [Int32] = []

    /// Listens on a free port.
    init() throws(POSIXError) {
        listener = try LoopbackListener()
        url = URL(string: "http://127.0.0.1:\(listener.port)/payments")!
    }

    /// Closes the connections, so that transfers that still wait for an answer end.
    deinit {
        for connection in connections { close(connection) }
    }

    /// Blocks the calling thread until a client connects; the connection stays open as long as the endpoint exists.
    mutating func waitForConnection() throws(POSIXError) {
        connections.append(try listener.nextConnection())
    }
}
