internal import ErrorRouting
internal import Foundation

#if os(Linux) && canImport(Runtime)
    internal import Runtime
#endif

/// Finds functions, files, and lines by addresses, with public API of the toolchain's Runtime module.
///
/// That module can't create a backtrace from addresses, but it can decode one. The form is the one that version 6.3
/// writes: Swift's documents "Compact Backtrace Format" and "Compact ImageMap Format", version 0, and the platform's
/// name before the images, which the second document leaves out. Another form might be read as a request for gigabytes
/// of memory, which ends the process, so ``isFormKnown`` is asked first.
enum SymbolLookup {
    #if os(Linux) && canImport(Runtime)
        /// Whether the module finds in a small backtrace exactly what was encoded.
        ///
        /// Its numbers are so small that no other reading of them asks for much memory.
        static let isFormKnown: Bool = {
            let image = LoadedImages.Image(path: "/a", low: 0x1000, endOfCode: 0x2000)
            guard let backtrace = decoded(EncodedBacktrace([0x1234], [image])) else { return false }
            let addresses = backtrace.frames.map { frame in
                if case .returnAddress(let address) = frame { UInt(address) } else { UInt?.none }
            }
            let images = backtrace.images.map { Array($0) } ?? []
            return addresses == [0x1234] && images.map { UInt($0.baseAddress) } == [image.low]
                && images.map { UInt($0.endOfText) } == [image.endOfCode] && images.map(\.path) == [image.path]
        }()

        private static func decoded(_ backtrace: EncodedBacktrace) -> Backtrace? {
            // error-audit: harmless, because a place without names is shown by its address
            guard let data = try? JSONEncoder().encode(backtrace) else { return nil }
            // error-audit: harmless, because the form might change in a later toolchain, and the address still helps
            return try? JSONDecoder().decode(Backtrace.self, from: data)
        }
    #else
        static let isFormKnown = false
    #endif

    /// Returns the frame of an address with its names; nil if they aren't found.
    ///
    /// Call it on one thread, because the module caches files for each thread.
    static func frame(at address: UInt, in images: LoadedImages) -> ErrorOrigin.Frame? {
        #if os(Linux) && canImport(Runtime)
            guard isFormKnown, let symbols = decoded(EncodedBacktrace([address], images.lasting.images))?.symbolicated()
            else { return nil }
            // Inlined functions come first. The name of a function in a stripped file is "<unknown>".
            guard let symbol = symbols.frames.first(where: { !$0.isSwiftRuntimeFailure })?.symbol,
                symbol.rawName != "<unknown>"
            else { return nil }
            // Look for it now: if a library was unloaded meanwhile, the names might be of another one.
            guard let image = images[address] else { return nil }
            let location = symbol.sourceLocation.flatMap { $0.line > 0 ? $0 : nil }
            return ErrorOrigin.Frame(
                address: address, function: symbol.name.isEmpty ? nil : String(symbol.name.prefix(200)),
                file: location.map { shortened($0.path) }, line: location.map { UInt($0.line) }, image: image.name,
                offset: address - image.low)
        #else
            return nil
        #endif
    }

    #if os(Linux) && canImport(Runtime)
        /// The last two parts of a path: the rest is a matter of the machine that built the program.
        private static func shortened(_ path: String) -> String {
            path.split(separator: "/").suffix(2).joined(separator: "/")
        }
    #endif
}

/// Addresses and images in the form in which the Runtime module decodes a backtrace.
struct EncodedBacktrace: Encodable {
    let architecture: String
    let backtrace, imageMap: Data

    init(_ addresses: [UInt], _ images: [LoadedImages.Image]) {
        #if arch(arm64)
            architecture = "arm64"
        #else
            architecture = "x86_64"
        #endif
        backtrace = Self.encoded(addresses)
        imageMap = Self.encoded(images)
    }

    /// Version 0 and words of 64 bits.
    private static let header: UInt8 = 0b10

    private static func encoded(_ addresses: [UInt]) -> Data {
        // Each frame is an absolute return address of eight bytes; 0 is the end.
        Data([header] + addresses.flatMap { [0b0010_1111] + bytes(of: $0) } + [0])
    }

    private static func encoded(_ images: [LoadedImages.Image]) -> Data {
        // The name of the platform is left empty: nothing that is looked up here needs it.
        var data = Data([header, 0] + count(images.count))
        for image in images {
            // An absolute address and an offset of eight bytes each, and no build identifier.
            data.append(contentsOf: [0b0011_1111] + bytes(of: image.low) + bytes(of: image.endOfCode - image.low) + [0])
            let path = Array(image.path.utf8)
            for start in stride(from: 0, to: path.count, by: 63) {
                let part = path[start..<min(start + 63, path.count)]
                data.append(contentsOf: [UInt8(part.count)] + part)
            }
            data.append(0)
        }
        return data
    }

    private static func bytes(of word: UInt) -> [UInt8] {
        (0..<8).reversed().map { UInt8(truncatingIfNeeded: UInt64(word) >> (8 * UInt64($0))) }
    }

    /// Seven bits a byte, the most significant first; all bytes but the last have the highest bit.
    private static func count(_ number: Int) -> [UInt8] {
        number < 128 ? [UInt8(number)] : [UInt8(number >> 7 & 0x7F) | 0x80, UInt8(number & 0x7F)]
    }
}
