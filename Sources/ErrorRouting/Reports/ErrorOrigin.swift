/// Where an error was thrown or created: the place and, if they are known, the callers.
public struct ErrorOrigin: Sendable, Hashable, CustomStringConvertible {
    /// A place in the program, as far as it is known.
    public struct Frame: Sendable, Hashable, CustomStringConvertible {
        /// The address of the instruction; nil for a place that the error itself provides.
        public let address: UInt?
        /// The name of the function; nil if it is unknown.
        public let function: String?
        /// The source file, as `Module/File.swift` if the error itself provides it; nil if it is unknown.
        public let file: String?
        /// The line in the file; nil if it is unknown.
        public let line: UInt?
        /// The name of the executable or library; nil if it is unknown.
        public let image: String?

        /// Creates a frame, for tests and fakes.
        ///
        /// - Parameters:
        ///   - address: The address of the instruction, if it is known.
        ///   - function: The name of the function, if it is known.
        ///   - file: The source file, if it is known.
        ///   - line: The line in the file, if it is known.
        ///   - image: The name of the executable or library, if it is known.
        public init(
            address: UInt? = nil, function: String? = nil, file: String? = nil, line: UInt? = nil, image: String? = nil
        ) {
            (self.address, self.function, self.file, self.line, self.image) = (address, function, file, line, image)
        }

        /// The file and the line, as in `Module/File.swift:12`; if the file is unknown, the function or the address.
        public var description: String {
            if let file { return line.map { "\(file):\($0)" } ?? file }
            return function ?? address.map { "0x\(String($0, radix: 16))" } ?? "unknown"
        }
    }

    /// The place and, if they are known, its callers, innermost first.
    public let frames: [Frame]

    /// Creates an origin, for tests and fakes.
    ///
    /// - Parameter frames: The place and its callers, innermost first.
    public init(frames: [Frame]) { self.frames = frames }

    /// The innermost place.
    public var description: String { frames.first?.description ?? "unknown" }
}
