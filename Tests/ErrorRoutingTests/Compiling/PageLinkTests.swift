import Foundation
import TestSupport
import Testing

@Suite("Every picture, link, and anchor of every page has a target on GitHub", .hangLimit)
struct PageLinkTests {
    private static let all = Markdown.files(below: "") + Markdown.files(below: ".github").map { ".github/\($0)" }
}

extension PageLinkTests {
    @Test("the pages of the package have no broken link")
    func pages() throws {
        // If the folders moved, the test would find no pages and pass.
        for page in ["README.md", ".github/CONTRIBUTING.md", "Benchmarks/README.md", "Sources/Audit/README.md"] {
            #expect(Self.all.contains(page))
        }
        #expect(Self.all.filter { $0.contains(".docc/") }.count > 20)
        let files = Files(exists: Markdown.exists) { try? Markdown.text(of: $0) }
        for page in Self.all {
            expect(files.problems(of: page), equals: [])
            #expect(try !Markdown.text(of: page).contains(Markdown.root.path), "\(page) names a folder of this machine")
        }
    }

    @Test("each kind of fault is found, and its line is named")
    func faults() {
        let lines = [
            ("[A page](<Other.md>), [again](Other.md#a-heading \"title\"), and [here](#title-of-a-page)", nil),
            ("[The root](../README.md), [a folder](../Sources), ![picture](flow.svg), [web](https://example.org)", nil),
            ("[A label][Other], [Other][], `[code](None.md)`, ``[code `](None.md)``, <!-- [comment](None.md) -->", nil),
            ("[![picture in a link](flow.svg)](Other.md#twice-1) <img src=\"flow.svg\"> <a href=\"#terms\">", nil),
            ("[a file](None.md)", "None.md: it doesn't exist"),
            ("[a page without its extension](Other)", "Other: it doesn't exist"),
            ("[two lines, with `code[`,\nbefore](Other.md#none)", "Other.md#none: no heading has this anchor"),
            ("[the third of two](Other.md#twice-2)", "Other.md#twice-2: no heading has this anchor"),
            ("[a comment in code](Other.md#a-comment)", "Other.md#a-comment: no heading has this anchor"),
            ("[a heading here](#none)", "#none: no heading has this anchor"),
            ("[a line](flow.svg#L3)", "flow.svg#L3: only a page has anchors"),
            ("[DocC's](doc:Other)", "doc:Other: only DocC resolves it"),
            ("<doc:Other>", "doc:Other: only DocC resolves it"),
            ("![a picture](flow)", "flow: the picture has no extension"),
            ("![a picture](none.svg)", "none.svg: it doesn't exist"),
            ("<img alt=\"a picture\" src=\"none.png\">", "none.png: it doesn't exist"),
            ("[![a picture in a link](none.svg)](Other.md)", "none.svg: it doesn't exist"),
            ("[absolute](/Package.swift)", "/Package.swift: the path is absolute"),
            ("[absolute](file:///etc/hosts)", "file:///etc/hosts: the path is absolute"),
            ("[outside](../../else.md)", "../../else.md: it is outside of the package"),
            ("[a label][nowhere]", "[nowhere]: no line defines the label"),
            ("[nowhere][]", "[nowhere]: no line defines the label"),
            ("![a picture][nowhere]", "[nowhere]: no line defines the label"),
            ("[a definition]: None.md", "None.md: it doesn't exist"),
        ]
        let page = "# Title of a page\n\n## Terms\n\n\(lines.map(\.0).joined(separator: "\n\n"))\n\n[other]: Other.md\n"
        let fenced = "\n\n```sh\n[code](None.md)\n# A comment\n```\n"
        let texts = [
            "docs/Page.md": page + fenced, "README.md": "# Root", "Package.swift": "", "Sources": nil,
            "docs/flow.svg": "", "docs/Other.md": "# A heading\n\n## Twice\n\n## Twice\(fenced)",
        ]
        let files = Files(exists: { texts.keys.contains($0) }, text: { texts[$0] ?? nil })
        // These are the lines before the first entry: the title, a heading, and an empty line after each.
        var line = 5
        let expected = lines.compactMap { text, fault -> String? in
            defer { line += text.count { $0 == "\n" } + 2 }
            // The destination is on the last line of the text.
            return fault.map { "docs/Page.md:\(line + text.count { $0 == "\n" }): \($0)" }
        }
        expect(files.problems(of: "docs/Page.md"), equals: expected)
    }

    @Test("a page's title has the words of its file name, its code is in known languages, and only a module has Topics")
    func catalogs() {
        let (landing, page) = ("Sources/Shop/Shop.docc/Shop.md", "Sources/Shop/Shop.docc/ThrowLogOrPost.md")
        let code = "```swift\n# Comment\n```\n\n  ~~~text\n  ```none\n  ~~~\n"
        let texts = [
            landing: "# ``Shop``\n\n## Topics\n\n- [Throw, log, or post?](ThrowLogOrPost.md)\n\n\(code)",
            page: "# Throw, log, or post?\n\n\(code)",
        ]
        let files = Files(exists: { texts.keys.contains($0) }, text: { texts[$0] })
        expect(files.problems(of: landing) + files.problems(of: page), equals: [])
        let faulty = "\n# Throw or post\n\n## Topics\n\n```swift-before\n```\n\n```\n```\n"
        expect(
            Files(exists: { _ in false }, text: { _ in faulty }).problems(of: page),
            equals: [
                "\(page):6: GitHub doesn't highlight ```swift-before", "\(page):9: GitHub doesn't highlight ```",
                "\(page):2: the title doesn't have the words of the file's name",
                "\(page):4: only the module's own page has Topics",
            ])
    }

    @Test("anchors are computed as GitHub computes them")
    func anchors() {
        let anchors = [
            ("# Getting started", "getting-started"), ("## Why did `my` rule not run?", "why-did-my-rule-not-run"),
            ("## Tokens & keys", "tokens--keys"), ("### `ErrorBus.post(_:)`", "errorbuspost_"),
            ("## In-flight, \"quoted\": it's — dashed", "in-flight-quoted-its--dashed"),
            ("#### Überfluß 5 %", "überfluß-5-"),
            ("## snake_case ##", "snake_case"), ("## Same", "same"), ("### Same", "same-1"), ("## same", "same-2"),
            ("#no heading", nil), ("    # Code", nil), ("####### Seven", nil),
        ]
        let page = MarkdownPage(anchors.map(\.0).joined(separator: "\n\n") + "\n\n~~~\n# A comment\n~~~\n")
        expect(page.anchors, equals: anchors.compactMap(\.1))
    }
}

/// The files that pages can link to.
private struct Files {
    /// Whether the package has a file or a folder at a path.
    let exists: (String) -> Bool
    /// Returns the text of a file; nil if there is none.
    let text: (String) -> String?

    /// Returns a line for each link of a page that GitHub can't resolve, and for other faults of the page.
    func problems(of page: String) -> [String] {
        guard let text = text(page).map(MarkdownPage.init) else { return ["\(page): it can't be read"] }
        return links(of: page, text) + code(of: page, text) + catalog(of: page, text)
    }

    private func code(of page: String, _ text: MarkdownPage) -> [String] {
        text.fences.filter { !["json", "sh", "sql", "swift", "text", "yaml"].contains($0.language) }.map {
            "\(page):\($0.line): GitHub doesn't highlight ```\($0.language)"
        }
    }

    private func catalog(of page: String, _ text: MarkdownPage) -> [String] {
        guard let names = page.firstMatch(of: /(\w+)\.docc\/(\w+)\.md$/), let title = text.headings.first else {
            return []
        }
        var problems: [String] = []
        // The page `InATool.md` has the title "In a command-line tool".
        var rest = title.text.lowercased().filter(\.isLetter)[...]
        for word in names.2.matches(of: /[A-Z][a-z]+|[A-Z]+(?![a-z])/) {
            rest = rest.firstRange(of: word.0.lowercased()).map { rest[$0.upperBound...] } ?? "!"
        }
        if rest == "!" {
            problems.append("\(page):\(title.line): the title doesn't have the words of the file's name")
        }
        if names.1 != names.2, let topics = text.headings.first(where: { $0.text == "Topics" }) {
            problems.append("\(page):\(topics.line): only the module's own page has Topics")
        }
        return problems
    }

    private func links(of page: String, _ text: MarkdownPage) -> [String] {
        text.links.compactMap { link in
            guard let target = link.target else {
                return "\(page):\(link.line): [\(link.label)]: no line defines the label"
            }
            return problem(with: target, isPicture: link.isPicture, of: page).map {
                "\(page):\(link.line): \(target): \($0)"
            }
        }
    }

    private func problem(with target: String, isPicture: Bool, of page: String) -> String? {
        if target.hasPrefix("doc:") { return "only DocC resolves it" }
        if target.hasPrefix("/") || target.hasPrefix("file:") { return "the path is absolute" }
        if target.contains(/^(https?|mailto):/) { return nil }
        let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard let file = file(String(parts[0]), of: page) else { return "it is outside of the package" }
        if isPicture, file.split(separator: "/").last?.contains(".") != true { return "the picture has no extension" }
        guard exists(file) else { return "it doesn't exist" }
        guard parts.count == 2 else { return nil }
        guard file.hasSuffix(".md"), let text = text(file) else { return "only a page has anchors" }
        return MarkdownPage(text).anchors.contains(String(parts[1])) ? nil : "no heading has this anchor"
    }

    /// Returns the path from the package's root for a path from a page's folder; nil if the path leaves the package.
    private func file(_ path: String, of page: String) -> String? {
        guard !path.isEmpty else { return page }
        var folders = page.split(separator: "/").dropLast().map(String.init)
        for part in (path.removingPercentEncoding ?? path).split(separator: "/") where part != "." {
            guard part == ".." else { folders.append(String(part)); continue }
            guard folders.popLast() != nil else { return nil }
        }
        return folders.joined(separator: "/")
    }
}
