/// Reads the names of enum cases.
package enum EnumCase {
    /// Returns the name of a value's enum case.
    ///
    /// The result is nil if the value isn't an enum, or if its enum was imported from C, because such cases have no
    /// names at run time. The function reads the type's metadata and the value's tag. It doesn't read a payload or run
    /// user code.
    package static func name(of value: some Any) -> String? {
        unsafe caseName(value).map { unsafe String(cString: $0) }
    }
}

/// Returns the name of a value's enum case; the standard library uses this function for printing and mirrors.
///
/// If an enum has its own description, such as a message for users, no public function returns the name of a case
/// without a payload. `String(describing:)` works only for an enum without its own description, and a mirror works only
/// for a case with a payload. The function is part of the standard library's stable binary interface.
@_silgen_name("swift_EnumCaseName")
private func caseName<Value>(_ value: Value) -> UnsafePointer<CChar>?
