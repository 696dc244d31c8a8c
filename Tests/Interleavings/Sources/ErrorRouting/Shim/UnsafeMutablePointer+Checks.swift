import Exploration

/// Shadows the standard library's members of the same names, and checks that each access through a pointer is ordered
/// with other threads' writes to that address.
extension UnsafeMutablePointer where Pointee: ~Copyable {
    @inline(__always)
    func initialize(to value: consuming Pointee) {
        unsafe Explorer.active?.write(UInt(bitPattern: self), at: Self.site)
        unsafe UnsafeMutableRawPointer(self).initializeMemory(as: Pointee.self, to: value)
    }

    @inline(__always)
    func move() -> Pointee {
        unsafe Explorer.active?.write(UInt(bitPattern: self), at: Self.site)
        return unsafe UnsafeMutableBufferPointer(start: self, count: 1).moveElement(from: 0)
    }

    /// Replaces the caller's location, because a property has no parameters for it.
    ///
    /// A replay still shows the location.
    fileprivate static var site: Site { Site("an element", 0) }
}

extension UnsafeMutablePointer {
    @inline(__always)
    var pointee: Pointee {
        _read {
            unsafe Explorer.active?.read(UInt(bitPattern: self), at: Self.site)
            yield unsafe self[0]
        }
        nonmutating _modify {
            unsafe Explorer.active?.write(UInt(bitPattern: self), at: Self.site)
            yield unsafe &self[0]
        }
    }
}

/// Records the creation or a read of an object that is published by its address.
func made<Object: AnyObject>(_ object: Object) -> Object {
    Explorer.active?.write(Borrowed(object).address, at: Site("an object", 0))
    return object
}
func read<Object: AnyObject>(_ object: Borrowed<Object>) {
    Explorer.active?.read(object.address, at: Site("an object", 0))
}
