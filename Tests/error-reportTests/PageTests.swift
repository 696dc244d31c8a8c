import ErrorReplay
import TestSupport
import Testing

@testable import error_report

@Suite("E7: a page is self-contained, and lets no other code run", .tags(.recording7), .hangLimit)
struct PageTests {
    private func hex(_ text: String) -> String {
        SHA256.hash(of: Array(text.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

extension PageTests {
    @Test func `hashes equal those of the standard, even at the edges of a block`() {
        expect(hex(""), equals: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        expect(hex("abc"), equals: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        expect(
            hex(String(repeating: "a", count: 55)),
            equals: "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318")
        expect(
            hex(String(repeating: "a", count: 56)),
            equals: "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a")
        expect(
            hex(String(repeating: "a", count: 1_000)),
            equals: "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3")
    }

    @Test func `the page has a policy with two hashes, one script, one style, its data, and no URL`() {
        let page = String(decoding: Page(Incident()).bytes, as: UTF8.self)
        #expect(page.contains("default-src 'none'; style-src 'sha256-"))
        expect(page.matches(of: /sha256-[A-Za-z0-9+\/]{43}='/).count, equals: 2)
        expect(page.ranges(of: "<script>").count, equals: 1)
        expect(page.ranges(of: "<style>").count, equals: 1)
        #expect(page.contains(#"<script type="application/json" id="data">{"width":1,"#) && page.hasSuffix("</html>\n"))
        #expect(!page.contains("%") || page.ranges(of: "%data%").isEmpty)
        // The URL of SVG is only a name.
        let addresses = page.matches(of: /[a-z]+:\/\/[^"]*/).map { String($0.output) }
        expect(addresses, equals: ["http://www.w3.org/2000/svg"])
    }
}
