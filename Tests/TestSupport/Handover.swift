import Foundation

// The closures of exit tests capture nothing: capture lists came with Swift 6.3. What a test has for the process of its
// exit test goes through a file, which that process finds by its parent's identifier.

/// Hands a value to the processes of exit tests.
///
/// - Parameter name: Another one for each test. A test that does this once for each of its arguments is `.serialized`.
package func handOver(_ value: some Encodable, as name: String) throws {
    try JSONEncoder().encode(value).write(to: ownFolder.appending(path: name), options: .atomic)
}

/// Returns, in the process of an exit test, what its test has handed over.
package func handedOver<Value: Decodable>(_ name: String) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(contentsOf: folder(of: getppid()).appending(path: name)))
}

/// What this process hands over is in here, until it ends.
private let ownFolder: URL = {
    let own = folder(of: getpid())
    try? FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(at: folder(of: getpid())) }
    return own
}()

private func folder(of process: pid_t) -> URL {
    FileManager.default.temporaryDirectory.appending(path: "error-bus-handover-\(process)")
}
