internal import CErrorOrigins
internal import ErrorRouting

/// The executable and the libraries of the process, in the order of their addresses.
///
/// `ImageMap.capture()` of the Runtime module isn't used: it reads memory that another thread might unmap meanwhile.
struct LoadedImages: Sendable {
    struct Image: Sendable {
        let path: String
        let low, endOfCode: UInt

        var name: String { path.split(separator: "/").last.map(String.init) ?? path }
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

    /// The image that contains an address; nil if there is none.
    subscript(address: UInt) -> Image? { images.last { $0.low <= address && address < $0.endOfCode } }
}

/// A frame, and whether it belongs to the language's or the system's own machinery.
struct NamedFrame: Sendable {
    let frame: ErrorOrigin.Frame
    let isOfRuntime: Bool

    init(_ frame: ErrorOrigin.Frame, isOfRuntime: Bool) { (self.frame, self.isOfRuntime) = (frame, isOfRuntime) }

    /// Creates the frame of an address whose function and file aren't known.
    init(at address: UInt, in images: LoadedImages) {
        let image = images[address]
        self.init(
            ErrorOrigin.Frame(address: address, image: image?.name, offset: image.map { address - $0.low }),
            isOfRuntime: image.map { Self.isOfRuntime($0.name) } ?? true)
    }

    /// Whether an image belongs to Swift's runtime or to the system.
    ///
    /// Foundation doesn't belong to them, because its throws are of interest.
    static func isOfRuntime(_ image: String) -> Bool {
        ["libswift", "libdispatch", "libc.so", "libpthread", "ld-linux"].contains { image.hasPrefix($0) }
    }
}
