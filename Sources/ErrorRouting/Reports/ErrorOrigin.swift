/// Where an error was thrown or created: the place and, if they are known, its callers.
public struct ErrorOrigin: Sendable, Hashable, CustomStringConvertible {
    /// A place in the program, as far as it is known.
    public struct Frame: Sendable, Hashable, CustomStringConvertible {
        /// The address of the instruction; nil for a place that the error itself gives.
        public let address: UInt?
        /// The name of the function; nil if it is unknown.
        public let function: String?
        /// The source file, as `Module/File.swift` if the error gives it; nil if it is unknown.
        public let file: String?
        /// The line in the file; nil if it is unknown.
        public let line: UInt?
        /// The name of the executable or library; nil if it is unknown.
        public let image: String?
        /// The distance of the address from the image's beginning; nil if it is unknown.
        ///
        /// Unlike the address, it is the same in every run of the same build.
        public let offset: UInt?

        /// Creates a frame, for tests and fakes.
        ///
        /// - Parameters:
        ///   - address: The address of the instruction.
        ///   - function: The name of the function.
        ///   - file: The source file.
        ///   - line: The line in the file.
        ///   - image: The name of the executable or library.
        ///   - offset: The distance of the address from the image's beginning.
        public init(
            address: UInt? = nil, function: String? = nil, file: String? = nil, line: UInt? = nil,
            image: String? = nil, offset: UInt? = nil
        ) {
            (self.address, self.function, self.file, self.line) = (address, function, file, line)
            (self.image, self.offset) = (image, offset)
        }

        /// The first of these that is known: the file with the line, the function, the image with the offset, the
        /// address.
        ///
        /// Examples are `Module/File.swift:12`, `charge(_:)`, and `intake+0x1a2b`.
        public var description: String {
            if let file, let line { return "\(file):\(line)" }
            if let function = function ?? file { return function }
            if let image, let offset { return "\(image)+0x\(String(offset, radix: 16))" }
            return address.map { "0x\(String($0, radix: 16))" } ?? "unknown"
        }
    }

    /// The place and, if they are known, its callers, the innermost first.
    public let frames: [Frame]

    /// Creates an origin, for tests and fakes.
    ///
    /// - Parameter frames: The place and its callers, the innermost first.
    public init(frames: [Frame]) { self.frames = frames }

    /// The innermost place.
    public var description: String { frames.first?.description ?? "unknown" }
}

extension ErrorOrigin {
    /// The origin that an error's details give.
    init?(_ details: ErrorDetails) {
        guard let source = details.source else { return nil }
        self.init(frames: [Frame(file: source.fileID, line: source.line)])
    }
}
