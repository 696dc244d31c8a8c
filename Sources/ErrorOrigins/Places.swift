internal import CErrorOrigins
internal import ErrorRouting
internal import Foundation
internal import Synchronization

/// The places of throws with the names of their functions and files.
///
/// A separate thread looks up names, once for each address. An origin that is read before that contains the address and
/// the image.
final class Places: Sendable {
    static let shared = Places()

    /// What the core calls for posts and for reports.
    static let finder = ThrownPlaces.Finder(
        find: error_origins_find,
        origin: { shared.origin(at: error_origins_place($0)) },
        lookUp: { box in
            unsafe UnsafeRawPointer(bitPattern: box).flatMap { unsafe shared.origin(at: error_origins_look_up($0)) }
        })

    /// The bytes of names that are kept: beyond them, places are described without names.
    private static let nameLimit = 48 * 1_024

    private struct Known {
        var images = LoadedImages()
        /// Frames with names, by address.
        var frames: [UInt: ErrorOrigin.Frame] = [:]
        var nameBytes = 0
        var isLookingUp = false

        /// The frame of an address.
        ///
        /// Names that were found before are left out if another library might be at the address now.
        func frame(at address: UInt) -> ErrorOrigin.Frame {
            guard let image = images[address] else { return ErrorOrigin.Frame(address: address) }
            return frames[address]
                ?? ErrorOrigin.Frame(address: address, image: image.name, offset: address - image.low)
        }
    }

    private let known = Mutex(Known())

    /// Starts the thread that looks up names, unless it runs or can't find any.
    func startSymbolLookup() {
        guard SymbolLookup.isFormKnown else { return }
        let isFirst = known.withLock { known in
            defer { known.isLookingUp = true }
            return !known.isLookingUp
        }
        guard isFirst else { return }
        let images = LoadedImages.current()
        known.withLock { $0.images = images }
        let thread = Thread { [self] in lookUpSymbols() }
        thread.name = "error-origins"
        thread.start()
    }

    private func lookUpSymbols() {
        var done: UInt32 = 0
        while done < error_origins_capacity() {
            let count = error_origins_wait(done)
            while done < count {
                done += 1
                lookUp(error_origins_place(done))
            }
        }
    }

    private func lookUp(_ address: UInt) {
        var images = known.withLock { $0.images }
        if !images.mayContain(address) {
            // A library was loaded later. Names that are known stay valid, because nothing has been unloaded.
            let newer = LoadedImages.current()
            guard newer.isOfSameTime(as: images) else { return }
            images = newer
            known.withLock { $0.images = newer }
        }
        guard let frame = SymbolLookup.frame(at: address, in: images) else { return }
        let size = (frame.function?.utf8.count ?? 0) + (frame.file?.utf8.count ?? 0)
        known.withLock { known in
            guard known.nameBytes + size <= Self.nameLimit else { return }
            known.nameBytes += size
            known.frames[address] = frame
        }
    }

    private func origin(at address: UInt) -> ErrorOrigin? {
        address == 0 ? nil : ErrorOrigin(frames: [known.withLock { $0.frame(at: address) }])
    }
}
