/// Splits names into words, which indicate the meaning of calls and values without their types.
enum Words {
    /// Splits a name into words: `didFailWithError` becomes did, fail, with, error.
    static func of(_ name: some StringProtocol) -> [String] {
        var words: [String] = []
        var word = ""
        func end() {
            if !word.isEmpty { words.append(word.lowercased()) }
            word = ""
        }
        for character in name {
            let isAfterCapital = word.last?.isUppercase == true
            // Split "URLError" into url, error: the last capital of a run begins the next word.
            if character.isLowercase, isAfterCapital, word.count > 1 {
                let last = word.removeLast()
                end()
                word = String(last)
            } else if character.isUppercase ? !isAfterCapital : !character.isLetter && !character.isNumber {
                end()
            }
            if character.isLetter || character.isNumber { word.append(character) }
        }
        end()
        return words
    }

    /// Returns whether a name contains one of the given words.
    static func has(_ name: some StringProtocol, _ words: Set<String>) -> Bool { !words.isDisjoint(with: of(name)) }

    /// Returns whether a name refers to a failure, so that the named value or call reports an error.
    static func indicatesFailure(_ name: some StringProtocol) -> Bool { has(name, failure) }

    /// Returns whether a variable's name indicates that it holds an error.
    static func isError(_ name: String) -> Bool { of(name).last == "error" || name == "err" || name == "failure" }

    /// Returns whether a function shows the user something other than progress.
    static func shows(_ function: some StringProtocol) -> Bool {
        let words = of(function)
        return ["display", "present", "show"].contains(words.first) && busy.isDisjoint(with: words)
    }

    /// Returns whether a piece of code mentions another attempt.
    static func triesAgain(_ code: String) -> Bool {
        has(code, list("attempt attempts retries retry retrying again backoff reconnect"))
    }

    static func list(_ words: String) -> Set<String> {
        Set(words.split(whereSeparator: \.isWhitespace).map(String.init))
    }

    private static let failure = list(
        """
        abort aborted alert alerts banner broken corrupt corrupted err error errored errors exception exit fail failed
        failing fails failure failures fatal invalid problem rejected snackbar throw throwing toast unavailable
        unsuccessful warn warning warnings
        """)
    private static let busy = list("activity hud indicator loading placeholder progress skeleton spinner")

    /// Verbs for calls that free or undo something.
    static let cleansUp = list(
        """
        abort cancel clean cleanup clear close deactivate deinit delete disconnect discard dismiss dispose drop end
        evict finalize finish flush forget invalidate kill leave logout pause prune purge release remove reset rollback
        shutdown signout stop teardown terminate trim undo unlink unlock unregister unsubscribe vacuum wipe
        """)
    /// Words for closing something that the program itself opened, if a name consists only of them.
    static let closing = list(
        """
        and channel client close connection connections descriptor disconnect file gracefully group handle invalidate
        now pool reader server session shut shutdown shutting down socket stop stream sync unlock wait writer
        """)
    /// Words for payments, regardless of the verb.
    static let payments = list(
        """
        billing charge checkout invoice order orders pay payment payments purchase purchases receipt refund
        subscription transaction transactions transfer
        """)
    /// Verbs for changes that outlive the call.
    static let writes = list(
        """
        accept add apply approve archive authorize backup block buy charge commit configure copy create destroy
        duplicate edit enable execute export favorite favourite finish flush follow import insert install
        invite join launch link mark merge migrate move mute open overwrite pay persist pin place record refresh
        register remove rename replace restore rotate save schedule set settle sign start store subscribe sync
        synchronize toggle transfer update upsert vote write
        """)
    /// Verbs for calls that send something that others expect to receive.
    static let sends = list(
        """
        announce broadcast deliver dispatch email emit enqueue forward invoke mail notify post publish pull push put
        reply report respond send share submit trigger upload
        """)
    static let changes = writes.union(sends)
    /// Verbs for reading from another source.
    static let fetches = list("download fetch find get list load lookup query read request retrieve search")
    /// Words for things that a program can do without: they only measure or decorate, or are recreated if missing.
    static let expendable = list(
        """
        analytics animation artwork avatar cache cached caches color colors colour donate favicon haptic haptics icon
        image images metrics pixel pixels placeholder prefetch preload preview sound telemetry thumbnail tooltip
        vibration
        """)
    /// Words for temporary files that the program itself creates.
    static let temporary = list("cache cached caches partial scratch staging temp temporary tmp")
    /// Words of comments that explain why a loss is fine.
    static let reasons = list(
        """
        already always anyway avoid because best can cannot could doesn don deliberate deliberately error errors
        expected fail failing fails fallback fine harmless ignore ignored ignores ignoring intentional intentionally
        isn may might never not ok okay optional otherwise regardless safe safely silently since so swallow won
        """)
}
