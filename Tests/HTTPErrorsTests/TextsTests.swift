import ErrorRouting
import Foundation
import TestSupport
import Testing

@testable import HTTPErrors

@Suite("H2: descriptions and recovery suggestions are in English and in Japanese", .tags(.http2), .hangLimit)
struct TextsTests {}

extension TextsTests {
    @Test("H2: logs have the kind and the English description, whatever the user's language")
    func logs() {
        let error = NetworkError(.connection, cause: URLError(.networkConnectionLost))
        for language in NetworkError.Language.allCases {
            NetworkError.$language.withValue(language) {
                let report = ErrorReport(error: error, source: .init(fileID: "Shop/Cart.swift", line: 7))
                expect([report.kindName, report.message], equals: ["connection", "connection, URLError -1005"])
                #expect(report.description.contains(#"kind=connection message="connection, URLError -1005""#))
            }
        }
    }

    @Test("every kind has a sentence in each language, and every suggestion is a sentence")
    func sentences() {
        for (language, end) in [(NetworkError.Language.english, "."), (.japanese, "。")] {
            NetworkError.$language.withValue(language) {
                for error in NetworkError.samples {
                    let texts = [error.localizedDescription, error.recoverySuggestion].compactMap { $0 }
                    expect(error.errorDescription, equals: error.localizedDescription)
                    for text in texts {
                        #expect(text.hasSuffix(end), "\(text)")
                        #expect(text.count < 60, "\(text)")
                        expect(text.allSatisfy { $0.isASCII }, equals: (language == .english), "\(text)")
                    }
                }
            }
        }
        // The user can't do anything about errors of these kinds.
        let silent = NetworkError.samples.filter { $0.recoverySuggestion == nil }.map(\.kind)
        expect(silent, equals: [.invalidURL, .encoding, .cancelled, .bodyTooLarge])
    }

    @Test("if the program itself has closed its client, no message blames the server or the network")
    func closedHere() {
        let error = NetworkError(.connection, cause: URLError(.cancelled), detail: "the client was shut down")
        let texts = [(NetworkError.Language.english, "The connection was closed."), (.japanese, "接続が閉じられました。")]
        for (language, text) in texts {
            NetworkError.$language.withValue(language) { expect(error.errorDescription, equals: text) }
        }
        expect(error.description, equals: "connection, URLError -999, the client was shut down")
    }

    @Test("the language is the user's, which environment variables determine on Linux, as for other programs")
    func preferred() {
        let preferences: [([String], NetworkError.Language)] = [
            (["ja-JP", "en-US"], .japanese), (["en-GB", "ja"], .english), (["fr", "ja-JP"], .japanese),
            (["fr"], .english), ([], .english), (["jam", "en"], .english), (["enm", "ja"], .japanese),
            (["JA"], .japanese),
        ]
        for (languages, language) in preferences {
            expect(NetworkError.Language(preferring: languages, environment: [:]), equals: language, "\(languages)")
        }
        #if os(Linux)
            let environments: [([String: String], NetworkError.Language)] = [
                (["LANG": "ja_JP.UTF-8"], .japanese), (["LANG": "en_US.UTF-8"], .english),
                (["LC_ALL": "ja_JP", "LANG": "en_US"], .japanese), (["LC_ALL": "", "LANG": "ja_JP"], .japanese),
                (["LC_MESSAGES": "en_US", "LANG": "ja_JP"], .english),
                (["LANGUAGE": "ja:en", "LANG": "en"], .japanese),
                (["LANG": "C.UTF-8"], .english), ([:], .english),
                // As in other programs, the plain locale has no translations.
                (["LC_ALL": "C", "LANGUAGE": "ja"], .english), (["LC_ALL": "POSIX", "LANGUAGE": "ja:en"], .english),
                (["LC_ALL": "C", "LANG": "ja_JP.UTF-8"], .english), (["LANG": "C", "LANGUAGE": "ja"], .english),
                (["LC_MESSAGES": "ja", "LANG": "C"], .japanese),
            ]
            for (environment, language) in environments {
                let read = NetworkError.Language(preferring: ["en-001"], environment: environment)
                expect(read, equals: language, "\(environment)")
            }
        #endif
    }

    @Test("the app's own strings take precedence over the compiled strings, unless another language is bound")
    func ownStrings() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "TextsTests-\(UUID())")
        let app = folder.appending(path: "Own.bundle")
        let strings = app.appending(path: "en.lproj")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: strings, withIntermediateDirectories: true)
        let table = #"""
            "The server could not be reached." = "Le serveur est injoignable.";
            "Check your connection, then try again in a moment." = "Réessayez plus tard.";
            """#
        try Data(table.utf8).write(to: strings.appending(path: "Localizable.strings"))
        let bundle = try #require(Bundle(path: app.path()))
        let error = NetworkError(URLError(.networkConnectionLost))
        expect(error.text(bundle).description, equals: "Le serveur est injoignable.")
        expect(error.text(bundle).suggestion, equals: "Réessayez plus tard.")
        expect(NetworkError(.noData).text(bundle).description, equals: NetworkError(.noData).errorDescription)
        let other = NetworkError.Language.allCases.first { $0 != NetworkError.language }
        NetworkError.$language.withValue(try #require(other)) {
            expect(error.text(bundle).description, equals: error.errorDescription)
        }
    }
}
