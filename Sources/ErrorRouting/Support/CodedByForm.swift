/// An error that is written and read as a form: the parts that rules check, for replays of recorded errors.
package protocol CodedByForm: Codable {
    /// The parts of the error.
    associatedtype Form: Codable
    /// The error's form.
    var form: Form { get }
    /// Creates the error of a form; nil if the reader doesn't know a part without which there is no error.
    init?(_ form: Form)
}

extension CodedByForm {
    /// Reads the error.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The decoder's errors; a `DecodingError` if the reader doesn't know a part of the form.
    public init(from decoder: any Decoder) throws {
        guard let error = try Self(Form(from: decoder)) else {
            let unknown = "a part of the \(Self.self) is not known"
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: unknown))
        }
        self = error
    }

    /// Writes the error's form.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The encoder's errors.
    public func encode(to encoder: any Encoder) throws { try form.encode(to: encoder) }
}
