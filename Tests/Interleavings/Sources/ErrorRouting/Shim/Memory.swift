import Exploration

/// Shadow the standard library's members of these names: each read and write through a pointer is checked to be
/// ordered with other threads' writes there.
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

    /// A property has no parameters for its caller's location, but a replay still shows it.
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

/// Notes the creation or a read of an object that is published by its address.
func made<Object: AnyObject>(_ object: Object) -> Object {
    Explorer.active?.write(Borrowed(object).address, at: Site("an object", 0))
    return object
}
func read<Object: AnyObject>(_ object: Borrowed<Object>) {
    Explorer.active?.read(object.address, at: Site("an object", 0))
}
