package import Foundation

/// The folder where the build has put the tests, and next to them the modules and programs.
package enum BuildFolder {
    package struct NotFound: Error {
        let name: String
    }

    /// A class in the tests' executable or, on Darwin, in their bundle, which a runner elsewhere has loaded.
    private final class Marker {}

    /// Returns the location of a file in that folder.
    ///
    /// The path has no symbolic links: the compiler rejects modules that were built under another name of
    /// the folder.
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
