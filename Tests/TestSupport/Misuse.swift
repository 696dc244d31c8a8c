/// A programming error, and the message that the program prints before it crashes.
package struct Misuse: Sendable {
    package let message: String
    package let act: @Sendable () async -> Void

    package init(_ message: String, _ act: @escaping @Sendable () async -> Void) {
        self.message = message
        self.act = act
    }
}
