import Foundation

/// The tool's settings for a project.
///
/// The keys in `.error-audit.json` are the names of these properties.
public struct Configuration: Sendable, Codable, Equatable {
    /// Functions that report their error, such as `report` or `Crashes.record`.
    public var reporters: [String] = []
    /// Loggers for which every call counts as a report, such as `journal` or `Log.file`.
    public var loggers: [String] = []
    /// Other functions that handle an error, such as `rollBackOrder`.
    public var handled: [String] = []
    /// Folders and files to skip, in `.gitignore` syntax, relative to the project's folder.
    public var exclude: [String] = []
    /// Kinds of findings to leave out.
    public var off: [Kind] = []
    /// Whether tests are read.
    public var includeTests = false
    /// Whether generated files are read.
    public var includeGenerated = false
    /// Whether the suggestions avoid the bus.
    public var plain = false

    /// Creates the default configuration.
    public init() {}

    /// Reads a configuration file, in which every key is optional.
    ///
    /// - Parameter path: The path of a JSON file.
    /// - Throws: A Foundation error if the file can't be read; an error that describes the fault if its content isn't
    ///   valid.
    public init(path: String) throws {
        func object(_ data: Data) throws -> [String: Any] {
            try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        }
        let standard = try object(JSONEncoder().encode(Self()))
        let own = try object(Data(contentsOf: URL(filePath: path)))
        if let key = own.keys.sorted().first(where: { standard[$0] == nil }) { throw UnknownKey(key: key) }
        let all = standard.merging(own) { $1 }
        self = try JSONDecoder().decode(Self.self, from: JSONSerialization.data(withJSONObject: all))
    }

    struct UnknownKey: Error, CustomStringConvertible {
        let key: String
        var description: String { "the configuration has an unknown key: \(key)" }
    }
}
