import Foundation

/// One line on standard error that says how far it is.
enum Progress {
    static func show(_ text: String) { write("\r\u{1B}[K\(text)") }

    static func clear() { write("\r\u{1B}[K") }

    private static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
