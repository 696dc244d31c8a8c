/// A weak reference as an immutable value.
///
/// It replaces `weak let` (SE-0481), which Swift 6.2 doesn't support.
package struct Weak<Object: AnyObject & Sendable>: Sendable {
    /// The object; nil after its deallocation.
    package private(set) weak var object: Object?

    package init(_ object: Object?) { self.object = object }
}
