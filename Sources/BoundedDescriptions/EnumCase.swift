/// Reads the names of enum cases.
package enum EnumCase {
    /// Returns the name of a value's case; nil if the value isn't an enum, or if it is an enum imported from C, because
    /// such cases have no names at run time.
    ///
    /// It reads the type's metadata and the value's tag, but no payload, and it runs no user code.
    package static func name(of value: some Any) -> String? {
        unsafe caseName(value).map { unsafe String(cString: $0) }
    }
}

/// The standard library's function that its own printing and mirrors use.
///
/// `String(describing:)` would work for an enum without its own description, and a mirror for a case with a payload.
/// But no public function returns the name of a case without a payload if its type has its own description, such as a
/// message for users. The function is part of the standard library's stable binary interface.
@_silgen_name("swift_EnumCaseName")
private func caseName<Value>(_ value: Value) -> UnsafePointer<CChar>?
