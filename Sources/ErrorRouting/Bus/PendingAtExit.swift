import Foundation
import Synchronization

/// A bus's entry in the list that is read at the end of the process, to write which buses had reports pending: buses
/// that nobody ran, or whose process called `exit` inside a body.
///
/// The exit handler must not wait for a lock that a stopped thread may hold, so the list is lock-free: a bus claims a
/// place by compare-and-swap. Places are allocated as needed, and never deallocated. A place holds:
///
/// | value | meaning |
/// | --- | --- |
/// | `free` | no bus |
/// | `reserved` | a bus that is being initialised |
/// | an address | a bus whose deinitializer has not begun |
/// | an address with the bit `beingRead` | a bus whose counts the exit handler reads; `deinit` has to wait |
@safe struct PendingAtExit: @unchecked Sendable {
    // Unchecked because of the address: the memory there is read and written atomically.
    private let place: UnsafeMutablePointer<Atomic<UInt>>

    private static let free = PlacesAtExit.free
    private static let reserved = PlacesAtExit.reserved
    private static let beingRead: UInt = 1

    /// Reserves a place for a bus.
    init() {
        unsafe place = Self.places.reserve()
        // After the places are allocated, so that nothing is initialised for the first time while the process ends.
        Self.registerHandler
    }

    /// Puts the bus into the place, once the bus is initialised.
    func hold(_ bus: ErrorBus) {
        let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(bus).toOpaque())
        unsafe place.pointee.store(address, ordering: .releasing)
    }

    /// Frees the place, when the bus's deinitializer begins; waits while the exit handler reads the bus.
    func leave() {
        while true {
            let found = unsafe place.pointee.load(ordering: .relaxed)
            if found & Self.beingRead != 0, Self.reader.load(ordering: .relaxed) == Self.currentThread {
                // This is the exit handler's thread, which has released the last reference and reads the bus no more.
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

    /// The thread that runs the exit handler; 0 before that.
    private static let reader = Atomic<UInt>(0)

    private static var currentThread: UInt {
        #if canImport(Glibc)
            pthread_self()
        #else
            // A pointer on other systems than glibc's.
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
            // All others may release the bus meanwhile; then `release` below deallocates it here, and it leaves its
            // place. If its deinitializer has begun on another thread, that thread waits in `leave` until this one is
            // done.
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
    /// The line to write about the bus if the process ends now; nil if nothing is pending.
    ///
    /// If the bus's lock cannot be had, since a stopped thread holds it, the line has only the intake's count.
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
