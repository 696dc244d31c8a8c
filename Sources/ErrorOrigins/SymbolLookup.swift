internal import ErrorRouting
internal import Foundation

#if os(Linux) && canImport(Runtime)
    internal import Runtime
#endif

/// Finds functions, files, and lines by addresses, with public API of the toolchain's Runtime module.
///
/// That module can't create a backtrace from addresses, but it can decode one. The form is that of Swift's documents
/// "Compact Backtrace Format" and "Compact ImageMap Format", version 0 of both.
enum SymbolLookup {
    /// Returns the frame of an address with its names; nil if they aren't found.
    ///
    /// Call it on one thread, because the module caches files for each thread.
    static func frame(at address: UInt, in images: LoadedImages) -> ErrorOrigin.Frame? {
        #if os(Linux) && canImport(Runtime)
            let encoded = EncodedBacktrace([address], images.unchanged)
            // error-audit: harmless, because a place without names is shown by its address
            guard let data = try? JSONEncoder().encode(encoded) else { return nil }
            // error-audit: harmless, because the form might change in a later toolchain, and the address still helps
            guard let symbols = try? JSONDecoder().decode(Backtrace.self, from: data).symbolicated() else { return nil }
            // Inlined functions come first. The name of a function in a stripped file is "<unknown>".
            guard let symbol = symbols.frames.first(where: { !$0.isSwiftRuntimeFailure })?.symbol,
                symbol.rawName != "<unknown>"
            else { return nil }
            let image = images[address]
            let location = symbol.sourceLocation.flatMap { $0.line > 0 ? $0 : nil }
            return ErrorOrigin.Frame(
                address: address, function: symbol.name.isEmpty ? nil : String(symbol.name.prefix(200)),
                file: location.map { shortened($0.path) }, line: location.map { UInt($0.line) }, image: image?.name,
                offset: image.map { address - $0.low })
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

    init(_ addresses: [UInt], _ images: LoadedImages) {
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

    private static func encoded(_ images: LoadedImages) -> Data {
        var data = Data([header] + count(images.images.count))
        for image in images.images {
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
