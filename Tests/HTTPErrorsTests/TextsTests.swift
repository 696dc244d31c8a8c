import Foundation
import TestSupport
import Testing

@testable import HTTPErrors

@Suite("H2: descriptions and recovery suggestions are in English and in Japanese", .tags(.http2))
struct TextsTests {}

extension TextsTests {
    @Test("every kind has a sentence in each language, and a suggestion that is one where there is any")
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
        // A person can do nothing about these.
        let silent = NetworkError.samples.filter { $0.recoverySuggestion == nil }.map(\.kind)
        expect(silent, equals: [.invalidURL, .encoding, .cancelled, .bodyTooLarge])
    }

    @Test("the language is the user's; on Linux the environment says it, as it does to other programs")
    func preferred() {
        let preferences: [([String], NetworkError.Language)] = [
            (["ja-JP", "en-US"], .japanese), (["en-GB", "ja"], .english), (["fr", "ja-JP"], .japanese),
            (["fr"], .english), ([], .english),
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
            ]
            for (environment, language) in environments {
                let read = NetworkError.Language(preferring: ["en-001"], environment: environment)
                expect(read, equals: language, "\(environment)")
            }
        #endif
    }
}
