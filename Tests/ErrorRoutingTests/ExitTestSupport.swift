import Testing

extension ExitTest.Result? {
    /// The lines that the process wrote to standard error.
    var standardErrorLines: [String] {
        String(decoding: self?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
