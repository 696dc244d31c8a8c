import Foundation

/// Bytes that gzip made, and the parts of a great many zeros.
enum Gzip {
    /// `{"answer":"packed"}`, packed.
    static let json = Array(Data(base64Encoded: "H4sIAAAAAAACA6tWSswrLk8tUrJSKkhMzk5NUaoFABZUGNgTAAAA") ?? Data())

    static let header: [UInt8] = [0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff]

    /// What 256 KB of zeros are packed; it ends where a byte ends, and so can stand many times in a row.
    static let quarterOfAMegabyte: [UInt8] =
        [0xec, 0xc1, 0x31, 0x01, 0x00, 0x00, 0x00, 0xc2, 0xa0, 0xf5, 0x4f, 0xed, 0x6d, 0x07, 0xa0]
        + Array(repeating: 0, count: 254) + [0xde, 0x00, 0x00, 0x00, 0xff, 0xff]

    /// An empty last block, and the sums of four hundred such quarters.
    static let trailer: [UInt8] = [0x03, 0x00, 0x98, 0x23, 0x28, 0x4b, 0x00, 0x00, 0x40, 0x06]
}
