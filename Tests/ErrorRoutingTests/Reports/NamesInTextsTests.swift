import BoundedDescriptions
import Foundation
import TestSupport
import Testing

@testable import ErrorRouting

@Suite(
    "Promise 24: names have no address and stay on one line, wherever they are printed", .tags(.promise24),
    .hangLimit)
struct NamesInTextsTests {}

extension NamesInTextsTests {
    private struct Hidden: Error, Hashable {
        enum Inner: Error { case one }
        struct Generic<Content>: Error {}
    }

    private final class HiddenObject: Error {}

    private struct HiddenCoded: CustomNSError {}

    // This is sound: there is no object at that address, and no code dereferences the pointer.
    @safe private struct Dangling: Error, @unchecked Sendable {
        let reference: Unmanaged<NSObject>
        let pointer: UnsafeRawPointer?
    }

    struct Open<Content: Sendable>: Error { var content: Content? }

    /// Types that are declared in a function.
    private static var local: any Error {
        struct Local: Error, Equatable {}
        return Local()
    }

    private static let errors: [any Error] = [
        Hidden(), Hidden.Inner.one, Hidden.Generic<Hidden>(), HiddenObject(), Open<Hidden>(),
        Open(content: Hidden.Inner.one), Open<[Hidden: Int].Type>(), Open(content: (Hidden(), local)), local,
        Zoo.Wrapped(content: Hidden()), Zoo.Box(content: Hidden.self as Any.Type), Open(content: [Hidden()]),
        EncodingError.invalidValue(Hidden(), .init(codingPath: [], debugDescription: "")),
        DecodingError.typeMismatch(Hidden.self, .init(codingPath: [], debugDescription: "")), HiddenCoded(),
    ]

    @Test(
        "no line, trail, explanation, matcher, or printed value has an address, and no pointer is dereferenced"
    )
    func everywhere() {
        let address = unsafe UnsafeRawPointer(bitPattern: 8)!
        let dangling = unsafe Dangling(reference: .fromOpaque(address), pointer: address)
        expectNil(ErrorMatcher.anywhere(.type(Zoo.Timeout.self)).match(dangling))
        expect(ErrorReport(error: dangling, source: .init()).trail, equals: [])
        let domain = (HiddenCoded() as NSError).domain
        for error in Self.errors + [dangling] {
            let report = ErrorReport(error: error, source: .init(), metadata: ["k": "v"])
            let handler = ErrorHandler().on(Open<Hidden>.self) { _ in .next }.on(Hidden.Inner.one) { _ in .next }
                .on(domain: domain) { _ in .stop }
            let texts = [
                "\(report)", "\(report.trail)", "\(handler.explain(error))", "\(handler)",
                "\(ErrorMap(default: error))", "\(ErrorMap(default: Hidden.self as Any.Type))",
                "\(ErrorMatcher.conforming(to: Open<Hidden>.self))", BoundedPrinter.text(of: [error]),
                "\(ActionFailure(error: error, report: report, rule: .init(matcher: "m", source: .init())))",
            ]
            for text in texts { #expect(!text.contains("unknown context") && !text.contains("0x"), "\(text)") }
        }
        expect("\(ErrorMatcher.value(Hidden.Inner.one))", equals: "value(Inner.one)")
        // The domain itself is compared as it is.
        let coded = ErrorHandler().on(domain: domain) { _ in .stop }
        expect(coded.handleSynchronously(HiddenCoded())?.isHandled, equals: true)
    }

    @Test("dropped errors of private types are counted by names without addresses")
    func dropped() {
        let tally = DropTally()
        _ = tally.add(Hidden.self)
        _ = tally.add(Hidden.self)
        _ = tally.add(HiddenObject.self)
        let here = "ErrorRoutingTests.NamesInTextsTests"
        var counts: [String: Int64] = [:]
        _ = tally.take(into: &counts)
        expect(ErrorsDropped(counts).byType, equals: ["\(here).Hidden": 2, "\(here).HiddenObject": 1])
    }

    // MARK: Other names

    /// A name that tries to break its line in two.
    private static let hostile = "a\nb\u{202E}c\u{200B}d\u{1B}[31m"

    @Test(
        "names that users choose stay on one line: matchers, domains, sources, scopes, and a map's default value")
    func hostileNames() {
        let source = ErrorReport.Source(fileID: Self.hostile, line: 1)
        let rule = RuleDescription(matcher: Self.hostile, source: source)
        let handler = ErrorHandler()
            .on(matching: .any.named(Self.hostile), fileID: Self.hostile, line: 1) { _ in .next }
            .on(domain: Self.hostile, fileID: Self.hostile, line: 1) { _ in .next }
        let scoped = ErrorBus(handler: handler).scope(Self.hostile).scope(Self.hostile, handler: handler)
        let report = ErrorReport(error: Zoo.Offline(), source: source, scope: [Self.hostile])
        let texts = [
            rule.description, rule.matcher, "\(ErrorMatcher.any.named(Self.hostile))",
            "\(ErrorMatcher.nsError(domain: Self.hostile, code: 1))",
            "\(!(ErrorMatcher.nsError(domain: Self.hostile) && ErrorMatcher.any.named(Self.hostile)))",
            "\(HandleOutcome(disposition: .handled, rule: rule))", "\(report)",
            "\(ErrorsDropped(count: 1, byType: [Self.hostile: 1]))",
            "\(ActionFailure(error: Zoo.Localized(errorDescription: Self.hostile), report: report, rule: rule))",
        ]
        let lists = ["\(handler)", "\(scoped.explain(Zoo.Offline()))"]
        for text in texts + lists.flatMap({ list in list.split(separator: "\n").map(String.init) }) {
            let hidden = text.unicodeScalars.filter {
                $0.value < 0x20 || $0.properties.isDefaultIgnorableCodePoint || $0.properties.isBidiControl
            }
            #expect(hidden.isEmpty, "\(text)")
        }
        expect("\(handler)".split(separator: "\n").count, equals: 3)
        expect("\(scoped.explain(Zoo.Offline()))".split(separator: "\n").count, equals: 6)
        expect("\(ErrorMap(default: Self.hostile))".split(separator: "\n").count, equals: 2)
    }

    @Test(
        "names are truncated like all strings, don't widen other rows, and end even if a matcher is joined with itself"
    )
    func longNames() {
        let (name, limit) = (String(repeating: "long ", count: 100_000), 16 * 1_024)
        let handler = ErrorHandler()
            .on(matching: .any.named(name)) { _ in .next }
            .on(matching: .any.named("short")) { _ in .next }
        var doubled = ErrorMatcher<any Error>.any
        for _ in 0..<60 { doubled = doubled || doubled }
        let lines = "\(handler.explain(Zoo.Offline()))".split(separator: "\n").map(String.init)
        let texts = [
            ("\(ErrorMatcher.any.named(name))", limit), ("\(doubled)", limit),
            ("\(ErrorMap(default: name))", limit + 100),
            (lines[1], 399), (lines[2], 17 * 1_024 - 1),
        ]
        for (text, limit) in texts { #expect(text.utf8.count <= limit) }
        #expect("\(ErrorMap(default: Array(repeating: 1, count: 10_000_000)))".hasSuffix(", …]"))
        var chain = ErrorMatcher<any Error>.any
        // Use as many matchers as can be nested.
        for _ in 0..<127 { chain = !chain }
        expect("\(chain)", equals: String(repeating: "!", count: 127) + "any")
    }
}
