import Foundation

/// The tool's settings for a project.
///
/// A file `.error-audit.json` has the same keys.
public struct Configuration: Sendable, Codable, Equatable {
    /// Functions that report their error: `report`, `Crashes.record`.
    public var reporters: [String] = []
    /// Loggers for which every call counts as a report: `journal`, `Log.file`.
    public var loggers: [String] = []
    /// Other names of functions that handle an error: `rollBackOrder`.
    public var handled: [String] = []
    /// Folders and files to skip, with the syntax of `.gitignore`.
    public var exclude: [String] = []
    /// Whether tests are read.
    public var includeTests = false
    /// Whether generated files are read.
    public var includeGenerated = false
    /// Whether the suggestions use the bus.
    public var plain = false

    /// Creates the default configuration.
    public init() {}

    /// Decodes a configuration.
    ///
    /// Every key is optional.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func value<Value: Decodable>(_ key: CodingKeys, _ standard: Value) throws -> Value {
            try container.decodeIfPresent(Value.self, forKey: key) ?? standard
        }
        reporters = try value(.reporters, [])
        loggers = try value(.loggers, [])
        handled = try value(.handled, [])
        exclude = try value(.exclude, [])
        includeTests = try value(.includeTests, false)
        includeGenerated = try value(.includeGenerated, false)
        plain = try value(.plain, false)
    }

    /// Reads a configuration file.
    ///
    /// - Parameter path: The path of a JSON file.
    /// - Throws: A Foundation error if the file can't be read; a `DecodingError` if it isn't valid.
    public init(path: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(filePath: path)))
    }

    /// Returns whether a call matches one of the names: `record` matches any `…​.record(…)`, and
    /// `Crashes.record` matches only itself.
    static func names(_ names: [String], _ callee: String) -> Bool {
        names.contains { callee == $0 || callee.hasSuffix("." + $0) || callee.hasPrefix($0 + ".") }
    }
}
