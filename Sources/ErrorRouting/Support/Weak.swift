/// A weak reference as an immutable value.
///
/// What `weak let` (SE-0481) is, which Swift 6.2 does not have.
package struct Weak<Object: AnyObject & Sendable>: Sendable {
    /// The object; nil once it is gone.
    package private(set) weak var object: Object?

    package init(_ object: Object?) { self.object = object }
}
