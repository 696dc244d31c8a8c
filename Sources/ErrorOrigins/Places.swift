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
        origin: { shared.origin(of: error_origins_place($0)) },
        lookUp: { box in
            unsafe UnsafeRawPointer(bitPattern: box).flatMap { unsafe shared.origin(of: error_origins_look_up($0)) }
        })

    /// The bytes of names that are kept: beyond them, places are described without names.
    private static let nameLimit = 48 * 1_024

    private struct Known {
        var images = LoadedImages()
        var frames: [UInt: NamedFrame] = [:]
        var nameBytes = 0
        var isLookingUp = false
    }

    private let known = Mutex(Known())

    /// Starts the thread that looks up names, unless it runs.
    func startSymbolLookup() {
        let isFirst = known.withLock { known in
            defer { known.isLookingUp = true }
            if !known.isLookingUp { known.images = .current() }
            return !known.isLookingUp
        }
        guard isFirst else { return }
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
                lookUp(error_origins_place(done).addresses)
            }
        }
    }

    private func lookUp(_ addresses: [UInt]) {
        let (unknown, images) = known.withLock { known in
            if addresses.contains(where: { known.images[$0] == nil }) { known.images = .current() }
            return (addresses.filter { known.frames[$0] == nil }, known.images)
        }
        guard !unknown.isEmpty else { return }
        let frames = SymbolLookup.frames(at: unknown, in: images)
        known.withLock { known in
            for (address, frame) in frames {
                let size = (frame.frame.function?.utf8.count ?? 0) + (frame.frame.file?.utf8.count ?? 0)
                guard known.nameBytes + size <= Self.nameLimit else { continue }
                known.nameBytes += size
                known.frames[address] = frame
            }
        }
    }

    private func origin(of stack: error_origins_stack) -> ErrorOrigin? {
        let addresses = stack.addresses
        guard !addresses.isEmpty else { return nil }
        let frames = known.withLock { known in
            addresses.map { known.frames[$0] ?? NamedFrame(at: $0, in: known.images) }
        }
        // The library's own machinery is left out, but not a place that is all that is known.
        let shown = frames.filter { !$0.isOfRuntime }.map(\.frame)
        return ErrorOrigin(frames: shown.isEmpty ? [frames[0].frame] : shown, isCertain: !stack.are_alternatives)
    }
}

extension error_origins_stack {
    /// The addresses, the innermost first.
    fileprivate var addresses: [UInt] {
        unsafe withUnsafeBytes(of: at) { bytes in
            unsafe bytes.bindMemory(to: UInt.self).prefix(Int(count)).map { $0 }
        }
    }
}
