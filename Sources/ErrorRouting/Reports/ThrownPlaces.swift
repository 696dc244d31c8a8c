import Synchronization

/// Where errors were thrown, by the numbers of places that the product ErrorOrigins gives them.
///
/// A program that doesn't link that product, or doesn't start it, has no source: then each post reads one word.
package enum ThrownPlaces {
    /// What finds places and describes them; it never waits.
    package struct Finder: Sendable {
        /// Returns the number of the place where the error in the box at an address was thrown, below 2^16; 0 if it is
        /// unknown.
        ///
        /// A function without a context, because calling a closure would retain it at each post.
        let find: @convention(c) (UInt) -> UInt32
        /// Describes a place by its number.
        let origin: @Sendable (UInt32) -> ErrorOrigin?
        /// Describes the place where the error in the box at an address was thrown, without keeping the place.
        let lookUp: @Sendable (UInt) -> ErrorOrigin?

        package init(
            find: @escaping @convention(c) (UInt) -> UInt32, origin: @escaping @Sendable (UInt32) -> ErrorOrigin?,
            lookUp: @escaping @Sendable (UInt) -> ErrorOrigin?
        ) {
            (self.find, self.origin, self.lookUp) = (find, origin, lookUp)
        }
    }

    private final class Installed: Sendable {
        let finder: Finder

        init(_ finder: Finder) { self.finder = finder }
    }

    /// The address of the function that finds a place; 0 while places aren't recorded.
    private static let find = Atomic<UInt>(0)
    private static let installed = SetOnce<Installed>()

    /// Begins or ends to look for the places of posted errors; the finder of the first call stays.
    package static func record(_ isOn: Bool, by finder: @autoclosure () -> Finder) {
        if installed.value == nil { _ = installed.set(Installed(finder())) }
        let find = installed.value.map { unsafe unsafeBitCast($0.finder.find, to: UInt.self) }
        self.find.store(isOn ? find ?? 0 : 0, ordering: .releasing)
    }

    /// The number of the place where an error was thrown; 0 if it is unknown.
    @inline(__always)
    static func place(of error: borrowing UnboxedError) -> UInt16 {
        let address = find.load(ordering: .relaxed)
        return address == 0 ? 0 : place(of: error, by: address)
    }

    @inline(never)
    private static func place(of error: borrowing UnboxedError, by find: UInt) -> UInt16 {
        let find = unsafe unsafeBitCast(find, to: (@convention(c) (UInt) -> UInt32).self)
        return UInt16(truncatingIfNeeded: find(error.box))
    }

    /// The place of a report's error: by its number, or looked up now if the report has none.
    static func origin(of error: UnboxedError, at place: UInt16) -> ErrorOrigin? {
        guard let finder = installed.value?.finder else { return nil }
        if place > 0 { return finder.origin(UInt32(place)) }
        guard find.load(ordering: .relaxed) != 0 else { return nil }
        return withExtendedLifetime(error) { finder.lookUp(error.box) }
    }
}

extension UnboxedError {
    /// The address of the error's box, in which it stays as long as this value exists.
    fileprivate var box: UInt {
        // Coerce it: a generic function that is passed `any Error` might receive the content of its box.
        unsafe unsafeBitCast(error as any Error, to: UInt.self)
    }
}
