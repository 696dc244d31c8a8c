import Exploration

/// Shadows standard library members and checks each access through a pointer.
///
/// An access must be ordered with other threads' writes to its address.
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

    /// The site that replaces the caller's site, because a property can't receive it as an argument.
    ///
    /// A replay still shows the caller's location.
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

/// Records the creation of an object whose address will be published.
func made<Object: AnyObject>(_ object: Object) -> Object {
    Explorer.active?.write(Borrowed(object).address, at: Site("an object", 0))
    return object
}
/// Records a read of an object whose address was published.
func read<Object: AnyObject>(_ object: Borrowed<Object>) {
    Explorer.active?.read(object.address, at: Site("an object", 0))
}
