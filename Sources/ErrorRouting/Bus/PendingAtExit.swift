import Foundation
import Synchronization

/// Says at the end of the process which buses had reports pending: nobody runs them, or `exit` was called inside a
/// body.
///
/// The handler takes no lock that a stopped thread could hold: the buses are in places that are claimed by
/// compare-and-swap, made as needed, and never given back. What a place holds:
///
/// | value | meaning |
/// | --- | --- |
/// | `free` | nobody's |
/// | `reserved` | of a bus that is being made |
/// | an address | of a bus, which has not begun to end |
/// | that address, and `beingRead` | the same, whose counts the process's end is reading: it must not end meanwhile |
@safe struct PendingAtExit: @unchecked Sendable {
    // Unchecked for the address: what is there is read and written atomically.
    private let place: UnsafeMutablePointer<Atomic<UInt>>

    private static let free = PlacesAtExit.free
    private static let reserved = PlacesAtExit.reserved
    private static let beingRead: UInt = 1

    /// Reserves a place.
    init() {
        unsafe place = Self.places.reserve()
        // After the places are there: at the end of the process nothing is made for the first time.
        Self.registerHandler
    }

    /// The bus is there.
    func hold(_ bus: ErrorBus) {
        let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(bus).toOpaque())
        unsafe place.pointee.store(address, ordering: .releasing)
    }

    /// The bus begins to end.
    func leave() {
        while true {
            let found = unsafe place.pointee.load(ordering: .relaxed)
            if found & Self.beingRead != 0, Self.reader.load(ordering: .relaxed) == Self.currentThread {
                // The process's end had the last reference: it ends the bus while it reads, and will look no more.
                return unsafe place.pointee.store(Self.free, ordering: .releasing)
            }
            if found & Self.beingRead == 0 {
                let claim = unsafe place.pointee.compareExchange(
                    expected: found,
                    desired: Self.free,
                    ordering: .acquiringAndReleasing
                )
                if claim.exchanged { return }
            }
            usleep(100)
        }
    }

    private static let registerHandler: Void = {
        atexit {
            let lines = PendingAtExit.lines
            if !lines.isEmpty { StandardError.writeAtExit(lines) }
        }
    }()

    /// The thread that reads at the end of the process; 0 before that.
    private static let reader = Atomic<UInt>(0)

    private static var currentThread: UInt {
        #if canImport(Glibc)
            pthread_self()
        #else
            // An address, as on most systems.
            unsafe UInt(bitPattern: pthread_self())
        #endif
    }

    /// A line for each bus that has pending reports.
    private static var lines: [String] {
        reader.store(currentThread, ordering: .relaxed)
        var lines: [String] = []
        unsafe places.forEach { place in
            let found = unsafe place.pointee.load(ordering: .acquiring)
            guard found != free, found != reserved else { return }
            let claim = unsafe place.pointee.compareExchange(
                expected: found,
                desired: found | beingRead,
                ordering: .acquiringAndReleasing
            )
            guard claim.exchanged, let pointer = unsafe UnsafeRawPointer(bitPattern: found) else { return }
            let bus = unsafe Unmanaged<ErrorBus>.fromOpaque(pointer)
            // Everyone else may let go of the bus meanwhile: then it ends here, in `release`, and leaves its place. If
            // it is about to end on another thread, that waits in `leave` until this one has let go.
            _ = unsafe bus.retain()
            if let line = unsafe bus._withUnsafeGuaranteedRef({ $0.lineAtExit }) { lines.append(line) }
            unsafe bus.release()
            _ = unsafe place.pointee.compareExchange(
                expected: found | beingRead,
                desired: found,
                ordering: .acquiringAndReleasing
            )
        }
        return lines
    }

    private static let places = PlacesAtExit()
}

extension ErrorBus {
    /// What is said of the bus if the process ends now; nil if nothing is pending.
    ///
    /// Its lock may be held by a thread that is stopped: then only what the intake knows is told.
    fileprivate var lineAtExit: String? {
        func line(_ pending: Int64, _ rest: String) -> String? {
            pending <= 0 ? nil : "error-bus: the process ended while a bus had \(pending) pending\(rest)"
        }
        for _ in 0..<5 {
            if let counts = storage.countsIfUnlocked {
                return line(counts.pending, ": \(counts.statistics)")
            }
            usleep(1_000)
        }
        return line(storage.leastPending, " or more")
    }
}
