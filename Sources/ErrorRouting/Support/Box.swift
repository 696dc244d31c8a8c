/// A value in an object of its own, so that a reference to the value takes one word.
final class Box<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
