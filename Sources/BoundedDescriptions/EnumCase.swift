/// The names that the cases of enums have in the source.
package enum EnumCase {
    /// Returns the name of a value's case; nil for what is no enum, and for enums imported from C, whose cases have no
    /// names at run time.
    ///
    /// Reads the type's metadata and the value's tag; no code of the user's and no payload.
    package static func name(of value: some Any) -> String? {
        unsafe caseName(value).map { unsafe String(cString: $0) }
    }
}

/// The entry of the standard library that its own printing and mirrors use.
///
/// `String(describing:)` would do as well for an enum without a description, and a mirror for a case with a payload;
/// but nothing public tells the name of a case without a payload if its type describes itself, as messages for people
/// do. The entry is part of the standard library's stable binary interface.
@_silgen_name("swift_EnumCaseName")
private func caseName<Value>(_ value: Value) -> UnsafePointer<CChar>?
