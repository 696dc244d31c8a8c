package import Foundation

/// The folder in which the build has put the tests, and the modules and programs beside them.
package enum BuildFolder {
    package struct NotFound: Error {
        let name: String
    }

    /// In the tests' own executable, or on Darwin in their bundle, which a runner has loaded from elsewhere.
    private final class Marker {}

    /// Returns the place of what the build has put there.
    ///
    /// By its own path, without symbolic links: modules that were made under one name of a folder are not taken under
    /// another.
    package static func url(of name: String) throws -> URL {
        var folder = Bundle(for: Marker.self).bundleURL.resolvingSymlinksInPath()
        while folder.pathComponents.count > 1 {
            let file = folder.appending(path: name)
            if FileManager.default.fileExists(atPath: file.path) { return file }
            folder.deleteLastPathComponent()
        }
        throw NotFound(name: name)
    }
}
