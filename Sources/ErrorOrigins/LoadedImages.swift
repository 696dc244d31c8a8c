internal import CErrorOrigins
internal import Foundation

/// The executable and the libraries of the process, in the order of their addresses.
///
/// `ImageMap.capture()` of the Runtime module isn't used: it reads memory that another thread might unmap meanwhile.
struct LoadedImages: Sendable {
    struct Image: Sendable {
        /// The path at which the file can be read.
        let path: String
        let name: String
        let low, endOfCode: UInt
        /// The file at the path; nil for the executable, whose path leads to no other file.
        private let version: FileVersion?

        init(path: String, low: UInt, endOfCode: UInt) {
            name = path.split(separator: "/").last.map(String.init) ?? path
            // A new release might have replaced the executable: this path leads to the file that runs.
            let isExecutable = path == (try? FileManager.default.destinationOfSymbolicLink(atPath: Self.executable))
            self.path = isExecutable ? Self.executable : path
            (self.low, self.endOfCode) = (low, endOfCode)
            version = isExecutable ? nil : FileVersion(path: path)
        }

        private static let executable = "/proc/self/exe"

        /// Whether the file at the path is still the one that was loaded.
        var isUnchanged: Bool { path == Self.executable || version != nil && FileVersion(path: path) == version }
    }

    /// What tells a file from one that replaces it.
    private struct FileVersion: Equatable {
        let number: UInt64
        let modified: Date

        init?(path: String) {
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
                let number = attributes[.systemFileNumber] as? NSNumber,
                let modified = attributes[.modificationDate] as? Date
            else { return nil }
            (self.number, self.modified) = (number.uint64Value, modified)
        }
    }

    private(set) var images: [Image] = []

    /// The images that are loaded now.
    static func current() -> LoadedImages {
        var loaded = LoadedImages()
        unsafe withUnsafeMutablePointer(to: &loaded.images) { images in
            unsafe error_origins_images(images) { context, path, low, end in
                guard let context = unsafe context, let path = unsafe path else { return }
                let image = unsafe Image(path: String(cString: path), low: low, endOfCode: end)
                unsafe context.assumingMemoryBound(to: [Image].self).pointee.append(image)
            }
        }
        loaded.images.sort { $0.low < $1.low }
        return loaded
    }

    /// The images whose files can still be read for names.
    var unchanged: LoadedImages {
        var unchanged = self
        unchanged.images.removeAll { !$0.isUnchanged }
        return unchanged
    }

    /// The image that contains an address; nil if there is none.
    subscript(address: UInt) -> Image? { images.last { $0.low <= address && address < $0.endOfCode } }
}
