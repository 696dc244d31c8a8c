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

        /// A path that leads to the file that runs, even if a new release has replaced the executable.
        private static let executable = "/proc/self/exe"

        init(path: String, low: UInt, endOfCode: UInt, isExecutable: Bool = false) {
            name = path.split(separator: "/").last.map(String.init) ?? path
            self.path = isExecutable ? Self.executable : path
            (self.low, self.endOfCode) = (low, endOfCode)
            version = isExecutable ? nil : FileVersion(path: path)
        }

        var isExecutable: Bool { path == Self.executable }

        /// Whether the file at the path is still the one that was loaded.
        var isUnchanged: Bool { isExecutable || version != nil && FileVersion(path: path) == version }

        func contains(_ address: UInt) -> Bool { low <= address && address < endOfCode }
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
    /// How many libraries had been unloaded before.
    private let unloads = error_origins_unloads()

    /// The images that are loaded now.
    ///
    /// Don't call it under a lock, because it reads the files' attributes.
    static func current() -> LoadedImages {
        var loaded = LoadedImages()
        // Only copy while the loader is locked.
        typealias Found = (path: String, low: UInt, end: UInt)
        var found: [Found] = []
        unsafe withUnsafeMutablePointer(to: &found) { found in
            unsafe error_origins_images(found) { context, path, low, end in
                guard let context = unsafe context, let path = unsafe path else { return }
                let image = unsafe (path: String(cString: path), low: low, end: end)
                unsafe context.assumingMemoryBound(to: [Found].self).pointee.append(image)
            }
        }
        loaded.images = found.enumerated().map { index, image in
            Image(path: image.path, low: image.low, endOfCode: image.end, isExecutable: index == 0)
        }
        loaded.images.sort { $0.low < $1.low }
        return loaded
    }

    /// The images of which names can still be found: their files are unchanged, and they can't have been unloaded.
    var lasting: LoadedImages {
        let haveAllLasted = haveAllLasted
        var lasting = self
        lasting.images.removeAll { !($0.isExecutable || haveAllLasted) || !$0.isUnchanged }
        return lasting
    }

    /// Whether no library has been unloaded since; otherwise another one might be at the addresses of a former one.
    private var haveAllLasted: Bool { error_origins_unloads() == unloads }

    /// Whether an address is in one of the images, which might have been unloaded.
    func mayContain(_ address: UInt) -> Bool { images.contains { $0.contains(address) } }

    /// Whether no library was unloaded between the times of two lists.
    func isOfSameTime(as other: LoadedImages) -> Bool { unloads == other.unloads }

    /// The image that contains an address; nil if there is none, or if it might have been unloaded.
    subscript(address: UInt) -> Image? {
        guard let image = images.last(where: { $0.contains(address) }) else { return nil }
        return image.isExecutable || haveAllLasted ? image : nil
    }
}
