public import Foundation

extension NetworkError {
    /// The languages of messages for users.
    public enum Language: String, Sendable, Hashable, CaseIterable {
        /// English.
        case english
        /// Japanese.
        case japanese

        /// The app's language: Japanese if the user prefers that localization, otherwise English.
        ///
        /// On Linux, the environment variables determine the language.
        static let preferred = Language(
            preferring: Bundle.main.preferredLocalizations, environment: ProcessInfo.processInfo.environment)

        /// Chooses a language from the app's localizations, in the user's order of preference, and from the environment
        /// variables, which contain the user's settings on Linux.
        init(preferring languages: [String], environment: [String: String]) {
            #if os(Linux)
                let set = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
                // Use English, as other programs do: the plain locale doesn't have translations, regardless of other
                // settings.
                if set == "C" || set == "POSIX" {
                    self = .english
                    return
                }
                let list = environment["LANGUAGE"].map { $0.split(separator: ":").map(String.init) } ?? []
                let languages = list + (set.map { [$0] } ?? []) + languages
            #endif
            // Compare whole codes, because the codes of other languages can begin with these letters.
            let codes = languages.map { $0.prefix(while: \.isLetter).lowercased() }
            self = codes.first { $0 == "ja" || $0 == "en" } == "ja" ? .japanese : .english
        }
    }

    /// The language of messages for users: the app's own language, unless another language is bound.
    ///
    /// If the app doesn't have a Japanese localization, it shows English messages, regardless of the device's language.
    /// To add another language or your own messages, add the English sentences as keys to the app's
    /// `Localizable.strings`. The library looks them up there unless you bind a language that isn't the app's.
    ///
    /// ```swift
    /// NetworkError.$language.withValue(.japanese) { error.localizedDescription }
    /// ```
    @TaskLocal public static var language: Language = .preferred
}

extension NetworkError: LocalizedError {
    /// A sentence in ``language`` that tells the user what happened.
    public var errorDescription: String? { text().description }

    /// A sentence in ``language`` that tells the user what to do; nil if they can do nothing.
    public var recoverySuggestion: String? { text().suggestion }

    /// Returns the messages in ``language``, using the app's own translations of the English sentences in `bundle`.
    func text(_ bundle: Bundle = .main) -> (description: String, suggestion: String?) {
        let compiled = Self.language == .japanese ? japanese : english
        guard Self.language == .preferred else { return compiled }
        func translated(_ key: String, _ text: String) -> String {
            let own = bundle.localizedString(forKey: key, value: nil, table: nil)
            return own == key ? text : own
        }
        let suggestion = english.suggestion.map { translated($0, compiled.suggestion ?? $0) }
        return (translated(english.description, compiled.description), suggestion)
    }

    private var english: (description: String, suggestion: String?) {
        switch kind {
        case .invalidURL: ("The address is not valid.", nil)
        case .encoding: ("The request could not be prepared.", nil)
        case .networkUnavailable:
            ("There is no internet connection.", "Check your network settings, then try again.")
        case .timeout: ("The server took too long to respond.", "Please try again in a moment.")
        case .cancelled: ("The request was cancelled.", nil)
        case .connection where isClosedHere: ("The connection was closed.", "Please try again.")
        case .connection:
            ("The server could not be reached.", "Check your connection, then try again in a moment.")
        case .invalidResponse: ("The server sent a response that could not be understood.", "Please try again later.")
        case .unauthorized: ("You need to sign in.", "Sign in, then try again.")
        case .forbidden:
            ("You do not have permission to do this.", "Sign in with another account, or ask for permission.")
        case .notFound: ("This could not be found.", "It may have been moved or deleted.")
        case .http where failure?.status == 429:
            ("There were too many requests.", "Please wait a moment, then try again.")
        case .http, .service: ("The request was not accepted.", "Check what you entered, then try again.")
        case .server: ("The server has a problem.", "Please try again later.")
        case .noData: ("The server sent an empty response.", "Please try again later.")
        case .decoding, .unexpectedContentType:
            ("The server sent a response that could not be read.", "Check whether there is an update of this app.")
        case .bodyTooLarge: ("The response is too large.", nil)
        case .unknown: ("Something went wrong.", "Please try again.")
        }
    }

    private var japanese: (description: String, suggestion: String?) {
        switch kind {
        case .invalidURL: ("アドレスが正しくありません。", nil)
        case .encoding: ("リクエストを準備できませんでした。", nil)
        case .networkUnavailable:
            ("インターネットに接続されていません。", "ネットワーク設定を確認して、もう一度お試しください。")
        case .timeout: ("サーバーからの応答がありませんでした。", "しばらくしてから、もう一度お試しください。")
        case .cancelled: ("リクエストはキャンセルされました。", nil)
        case .connection where isClosedHere: ("接続が閉じられました。", "もう一度お試しください。")
        case .connection:
            ("サーバーに接続できませんでした。", "通信環境を確認して、しばらくしてからもう一度お試しください。")
        case .invalidResponse:
            ("サーバーからの応答を処理できませんでした。", "時間をおいて、もう一度お試しください。")
        case .unauthorized: ("サインインが必要です。", "サインインしてから、もう一度お試しください。")
        case .forbidden:
            ("この操作を行う権限がありません。", "別のアカウントでサインインするか、権限をリクエストしてください。")
        case .notFound: ("お探しの情報は見つかりませんでした。", "移動または削除された可能性があります。")
        case .http where failure?.status == 429:
            ("リクエストが多すぎます。", "しばらく待ってから、もう一度お試しください。")
        case .http, .service:
            ("リクエストは受け付けられませんでした。", "入力内容を確認して、もう一度お試しください。")
        case .server: ("サーバーで問題が発生しました。", "時間をおいて、もう一度お試しください。")
        case .noData: ("サーバーからの応答が空でした。", "時間をおいて、もう一度お試しください。")
        case .decoding, .unexpectedContentType:
            ("サーバーからの応答を読み取れませんでした。", "アプリのアップデートがあるかご確認ください。")
        case .bodyTooLarge: ("サーバーからの応答が大きすぎます。", nil)
        case .unknown: ("問題が発生しました。", "もう一度お試しください。")
        }
    }
}
