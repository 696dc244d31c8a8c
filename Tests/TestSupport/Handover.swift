import Foundation

// The closures of exit tests can't capture values: capture lists came with Swift 6.3. A test passes values to its exit
// test's process through a file, which that process finds by its parent's identifier.

/// Passes a value to the processes of exit tests.
///
/// - Parameter name: A unique name for each test. A test that calls this for each argument must be `.serialized`.
package func handOver(_ value: some Encodable, as name: String) throws {
    try JSONEncoder().encode(value).write(to: ownFolder.appending(path: name), options: .atomic)
}

/// Returns, in an exit test's process, the value that the test has passed.
package func handedOver<Value: Decodable>(_ name: String) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(contentsOf: folder(of: getppid()).appending(path: name)))
}

/// The folder for values that this process passes, which exists until the process ends.
private let ownFolder: URL = {
    let own = folder(of: getpid())
    try? FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(at: folder(of: getpid())) }
    return own
}()

private func folder(of process: pid_t) -> URL {
    FileManager.default.temporaryDirectory.appending(path: "error-bus-handover-\(process)")
}
