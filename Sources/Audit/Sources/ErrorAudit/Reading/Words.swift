/// Splits names into words, which show the meaning of calls and values without their types.
enum Words {
    /// Splits a name: `didFailWithError` becomes did, fail, with, error.
    static func of(_ name: some StringProtocol) -> [String] {
        var words: [String] = []
        var word = ""
        var previous: Character = " "
        for character in name {
            guard character.isLetter || character.isNumber else {
                if !word.isEmpty { words.append(word.lowercased()) }
                word = ""
                previous = character
                continue
            }
            // "URLError" becomes url, error: the last capital of a run begins the next word.
            if character.isUppercase, !previous.isUppercase, !word.isEmpty {
                words.append(word.lowercased())
                word = ""
            } else if character.isLowercase, previous.isUppercase, word.count > 1 {
                let last = word.removeLast()
                words.append(word.lowercased())
                word = String(last)
            }
            word.append(character)
            previous = character
        }
        if !word.isEmpty { words.append(word.lowercased()) }
        return words
    }

    /// Returns whether a name contains one of the given words.
    static func has(_ name: some StringProtocol, _ words: Set<String>) -> Bool {
        of(name).contains { words.contains($0) }
    }

    /// Returns whether a name is about failure, so that its value or call reports an error.
    static func indicatesFailure(_ name: some StringProtocol) -> Bool {
        of(name).contains { failure.contains($0) }
    }

    /// Returns whether a function shows the user more than the progress of work.
    static func shows(_ function: some StringProtocol) -> Bool {
        let words = of(function)
        return ["display", "present", "show"].contains(words.first) && !words.contains { busy.contains($0) }
    }

    private static let failure: Set = [
        "abort", "aborted", "alert", "alerts", "banner", "broken", "corrupt", "corrupted", "error", "errors",
        "exception",
        "exit", "fail", "failed", "failing", "fails", "failure", "failures", "fatal", "invalid", "problem", "rejected",
        "snackbar", "throw", "throwing", "toast", "unavailable", "warn",
        "warning", "warnings", "unsuccessful", "err", "errored",
    ]
    private static let busy: Set = [
        "activity", "hud", "indicator", "loading", "placeholder", "progress", "skeleton", "spinner",
    ]

    /// Returns whether a piece of code tries again.
    static func triesAgain(_ code: String) -> Bool {
        has(code, ["attempt", "attempts", "retries", "retry", "retrying", "again", "backoff", "reconnect"])
    }

    /// Verbs for cleanup: if it fails, nothing is left to do.
    static let cleansUp: Set = [
        "abort", "cancel", "clean", "cleanup", "clear", "close", "deactivate", "deinit", "delete", "disconnect",
        "discard",
        "dismiss", "dispose", "end", "finalize", "finish", "flush", "invalidate", "kill", "leave", "pause", "prune",
        "purge",
        "release", "remove", "reset", "rollback", "shutdown", "stop", "teardown", "terminate", "trim", "undo", "unlink",
        "unlock", "unregister", "unsubscribe", "vacuum", "wipe", "logout", "signout", "drop", "evict",
    ]
    /// Verbs for changes that outlive the call.
    static let changes: Set = [
        "accept", "add", "apply", "approve", "archive", "authorize", "block", "buy", "charge", "checkout", "commit",
        "configure", "copy", "create", "duplicate", "enable", "execute", "export", "favourite", "favorite", "follow",
        "import",
        "insert", "install", "invite", "join", "launch", "mark", "merge", "migrate", "move", "mute", "open", "pay",
        "persist",
        "place", "post", "publish", "pull", "purchase", "push", "put", "refresh", "register", "rename", "replace",
        "reply", "report", "restore", "save", "schedule", "send", "share", "start", "store", "submit",
        "subscribe", "sync", "toggle", "transfer", "update", "upload", "vote", "write",
    ]
    /// Verbs for reading from another source.
    static let fetches: Set = [
        "download", "fetch", "find", "get", "list", "load", "lookup", "query", "read", "request", "retrieve", "search",
    ]
    /// Things that decorate, or that are created again if missing.
    static let expendable: Set = [
        "animation", "artwork", "avatar", "cache", "cached", "caches", "color", "colors", "colour", "favicon", "haptic",
        "haptics", "icon", "image", "images", "placeholder", "prefetch", "preload", "preview", "sound",
        "thumbnail", "tooltip", "vibration",
    ]
    /// Things that are checked only for existence or size.
    static let probes: Set = [
        "attributes", "can", "check", "contains", "estimated", "exists", "has", "is", "matches", "modification",
        "reachable",
        "resource", "size", "supports", "valid", "validate", "values", "verify",
    ]
}
