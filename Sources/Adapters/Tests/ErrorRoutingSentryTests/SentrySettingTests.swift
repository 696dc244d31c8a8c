import ErrorRouting
import Foundation
import Testing

@testable import ErrorRoutingSentry

@Suite("Sentry's settings are checked when they are created", .timeLimit(.minutes(2)))
struct SentrySettingTests {
    private func reason(_ dsn: String) -> String? {
        do {
            _ = try SentryDSN(dsn)
            return nil
        } catch { return error.description }
    }

    @Test func `an address becomes the URL and the fields that Sentry's documents describe`() throws {
        let dsn = try SentryDSN("https://public@o1.ingest.sentry.io/42")
        #expect(dsn.url.absoluteString == "https://o1.ingest.sentry.io/api/42/envelope/")
        #expect(
            dsn.authorization == "Sentry sentry_version=7, sentry_client=swift-error-bus.swift/0.1.0, sentry_key=public"
        )
        let old = try SentryDSN("http://public:secret@[::1]:9000/some/path/7")
        #expect(old.url.absoluteString == "http://[::1]:9000/some/path/api/7/envelope/")
        #expect(old.authorization.hasSuffix(", sentry_key=public, sentry_secret=secret"))
    }

    @Test func `a wrong address causes a clear error that doesn't contain a key`() {
        for (dsn, expected) in [
            ("", "is empty"), ("hello world", "does not begin with https:// or http://"), ("https://", "has no host"),
            ("o1.ingest.sentry.io/42", "does not begin with https:// or http://"),
            ("ftp://key@host/1", "does not begin with https:// or http://"),
            ("https://key@/1", "has no host"), ("https://host/1", "has no public key before the host"),
            ("https://:password@host/1", "has no public key before the host"),
            ("https://key@host", "has no project at its end"), ("https://key@host/", "has no project at its end"),
            ("https://key@host/shop", #"ends with "shop", which is not a project's number"#),
            ("https://key@host/1?a=b", "has a query or a fragment"),
            ("https://key@host/1#a", "has a query or a fragment"),
            ("https://a%0D%0Ab@host/1", "has a key that is not a word"),
            ("https://a%2Cb@host/1", "has a key that is not a word"),
            ("https://key@host:0/1", "has an invalid port"), ("https://key@host:70000/1", "has an invalid port"),
        ] {
            let text = reason(dsn)
            #expect(text == "Sentry's dsn \(expected)", "\(dsn)")
            #expect(text?.contains("key@") != true)
        }
    }

    @Test func `a sink with a setting that Sentry rejects in each event isn't created`() {
        func setting(_ release: String?, _ environment: String = "production", dsn: String = "https://key@host/1")
            -> String?
        {
            do {
                _ = try SentrySink(dsn: dsn, release: release, environment: environment)
                return nil
            } catch { return error.setting }
        }
        #expect(setting(nil) == nil && setting("shop@1.4.0+7") == nil && setting("1234abcd") == nil)
        for release in ["", ".", "latest", "a/b", "a\\b", "a\nb", " a", String(repeating: "a", count: 201)] {
            #expect(setting(release) == "release", "\(release)")
        }
        for environment in ["", "None", "a/b", "a\tb", String(repeating: "a", count: 65)] {
            #expect(setting("1", environment) == "environment", "\(environment)")
        }
        #expect(setting("1", dsn: "https://host/1") == "dsn")
        #expect(InvalidSentrySetting("dsn", "is empty").errorDetails == ErrorDetails(kind: "dsn"))
    }
}
