#if os(Linux) && canImport(Runtime)
    @testable import ErrorOrigins
    import Foundation
    import Runtime
    import TestSupport
    import Testing

    @Suite(
        "Behaviour 30: the Runtime module reads addresses and images as they were written", .tags(.behaviour30),
        .hangLimit)
    struct SymbolLookupTests {
        @Test("the form of this toolchain is known")
        func form() { #expect(SymbolLookup.isFormKnown) }

        @Test("addresses and images anywhere are read as they were written")
        func anywhere() throws {
            var generator = SplitMix64(seed: 30)
            for _ in 0..<(isLong ? 100_000 : 500) {
                let images = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
                    let low = UInt.random(in: 0...(.max >> 17), using: &generator)
                    let path = String(repeating: "/a", count: .random(in: 1...80, using: &generator))
                    return LoadedImages.Image(
                        path: path, low: low, endOfCode: low + .random(in: 0...(1 << 32), using: &generator))
                }
                let address = UInt.random(in: 1...(.max), using: &generator)
                let data = try JSONEncoder().encode(EncodedBacktrace([address], images))
                let read = try JSONDecoder().decode(Backtrace.self, from: data)
                let addresses = read.frames.map { frame in
                    if case .returnAddress(let address) = frame { UInt(address) } else { UInt?.none }
                }
                expect(addresses, equals: [address])
                let readImages = Array(try #require(read.images))
                expect(readImages.map(\.path), equals: images.map(\.path))
                expect(readImages.map { UInt($0.baseAddress) }, equals: images.map(\.low))
                expect(readImages.map { UInt($0.endOfText) }, equals: images.map(\.endOfCode))
            }
        }
    }
#endif
