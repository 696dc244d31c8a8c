extension ProblemDetails {
    /// A JSON value.
    public enum JSONValue: Codable, Hashable, Sendable {
        /// The value `null`.
        case null
        /// A Boolean.
        case bool(Bool)
        /// A number.
        case number(Number)
        /// A string.
        case string(String)
        /// An array.
        case array([JSONValue])
        /// An object.
        case object([String: JSONValue])

        /// How many keys and indices a value's coding path may contain.
        ///
        /// Decoding tries several types for each value, and its time grows with the square of the depth. Without a
        /// limit, decoding a kilobyte of brackets would take seconds, and an error body would take minutes.
        private static let depthLimit = 20

        /// Creates a value by decoding it.
        ///
        /// - Throws: A `DecodingError` if there is no JSON value, or if values are nested more than 20 levels deep.
        public init(from decoder: any Decoder) throws {
            guard decoder.codingPath.count <= Self.depthLimit else {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(
                        codingPath: decoder.codingPath, debugDescription: "The value is nested too deep.")
                )
            }
            let container = try decoder.singleValueContainer()
            func value<Value: Decodable>(_ make: (Value) -> Self) -> Self? {
                (try? container.decode(Value.self)).map(make)
            }
            let null: Self? = container.decodeNil() ? .null : nil
            self =
                try null ?? value(Self.bool) ?? value(Self.number) ?? value(Self.string) ?? value(Self.array)
                ?? .object(container.decode([String: JSONValue].self))
        }

        /// Encodes the value.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .null: try container.encodeNil()
            case .bool(let value): try container.encode(value)
            case .number(let value): try container.encode(value)
            case .string(let value): try container.encode(value)
            case .array(let value): try container.encode(value)
            case .object(let value): try container.encode(value)
            }
        }
    }
}

extension ProblemDetails.JSONValue {
    /// A number that keeps all digits of a whole number of up to 128 bits; any other number is rounded to the nearest
    /// `Double`.
    ///
    /// Numbers with the same value are equal: 1000, `1e3`, and `1000.0` are the same number.
    ///
    /// ```swift
    /// let problem = ProblemDetails(status: 409, extensions: ["order": .number(9_007_199_254_740_993)])
    /// ```
    public struct Number: Sendable {
        private enum Value {
            case whole(Int128)
            case real(Double)
        }

        private let value: Value

        /// Creates a number.
        ///
        /// - Parameter value: An integer, which is rounded to a `Double` if it doesn't fit into 128 bits.
        public init(_ value: some BinaryInteger) {
            self.value = Int128(exactly: value).map { .whole($0) } ?? .real(Double(value))
        }

        /// Creates a number.
        ///
        /// - Parameter value: Any number. Encoding infinity or NaN throws, because JSON can't represent them.
        public init(_ value: Double) { self.value = .real(value) }

        /// The value if it is a whole number of up to 128 bits; otherwise nil.
        public var integer: Int128? {
            switch value {
            case .whole(let value): value
            case .real(let value): Int128(exactly: value)
            }
        }

        /// The value, rounded to the nearest `Double`.
        public var double: Double {
            switch value {
            case .whole(let value): Double(value)
            case .real(let value): value
            }
        }
    }
}

extension ProblemDetails.JSONValue.Number: Hashable {
    /// Returns whether both numbers have the same value.
    public static func == (first: Self, second: Self) -> Bool {
        // Compare whole numbers exactly, because different whole numbers can have the same nearest `Double`.
        guard let one = first.integer, let other = second.integer else { return first.double == second.double }
        return one == other
    }

    /// Hashes the value.
    public func hash(into hasher: inout Hasher) { hasher.combine(double) }
}

extension ProblemDetails.JSONValue.Number: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// Creates a number.
    public init(integerLiteral value: Int128) { self.init(value) }

    /// Creates a number.
    public init(floatLiteral value: Double) { self.init(value) }
}

extension ProblemDetails.JSONValue.Number: Codable {
    /// Creates a number by decoding it.
    ///
    /// - Throws: A `DecodingError` if there is no number, or if it is too large for a `Double`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        func whole<Integer: BinaryInteger & Decodable>(_ type: Integer.Type) -> Self? {
            // error-audit: harmless, because any other number is read as a `Double`
            (try? container.decode(type)).map { Self($0) }
        }
        // Try the common types too, because decoders other than JSON's might not read 128 bits. Try 128 bits first,
        // because JSON's decoder then reads more forms of a number without rounding.
        self =
            try whole(Int128.self) ?? whole(Int64.self) ?? whole(UInt64.self) ?? Self(container.decode(Double.self))
    }

    /// Encodes the number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        // Use the common types if the value fits, because encoders other than JSON's might not write 128 bits.
        case .whole(let value):
            if let value = Int64(exactly: value) { return try container.encode(value) }
            if let value = UInt64(exactly: value) { return try container.encode(value) }
            try container.encode(value)
        case .real(let value): try container.encode(value)
        }
    }
}

extension ProblemDetails.JSONValue.Number: CustomStringConvertible {
    /// The number in decimal notation.
    public var description: String {
        switch value {
        case .whole(let value): "\(value)"
        case .real(let value): "\(value)"
        }
    }
}
