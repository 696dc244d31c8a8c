import BoundedDescriptions
import ErrorRouting
import Foundation

/// The options of the command line.
struct Options: Sendable, Equatable {
    enum Command: Sendable {
        case intake, interactive, explain, help
    }

    var command = Command.intake
    /// The folder with the order files; nil to make a sample inbox.
    var inbox: FilePath?
    /// The payment endpoint; nil for a port at which nobody listens.
    var payments: URL?
    var keepsFiles = false
    /// The file to record errors to.
    var recording: FilePath?

    /// - Parameter arguments: The words after the program's name, as bytes: the name of a folder need not be UTF-8.
    init(arguments: [FilePath]) throws(UsageError) {
        var rest = arguments[...]
        var allowsOptions = true
        while let word = rest.popFirst() {
            let argument = word.text
            guard allowsOptions, argument.hasPrefix("-"), argument != "-" else {
                if inbox != nil { throw UsageError("more than one inbox: \(OneLine.quoted(argument))") }
                inbox = word
                continue
            }
            // `--payments=URL` is read as `--payments URL`.
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            var value = parts.count == 2 ? parts[1] : nil
            switch parts[0] {
            case "--":
                allowsOptions = false
            case "--payments":
                if value == nil, let next = rest.first?.text, !next.hasPrefix("-") { value = rest.popFirst()?.text }
                guard let text = value.take() else { throw UsageError("--payments needs a URL") }
                payments = try Self.endpoint(text)
            case "--record":
                if value == nil, let next = rest.first { value = rest.popFirst().map { _ in next.text } }
                guard let text = value.take(), !text.isEmpty else { throw UsageError("--record needs a file") }
                recording = FilePath(text)
            case "--keep":
                keepsFiles = true
            case "--explain":
                command = .explain
            case "--interactive":
                command = .interactive
            case "--help", "-h":
                command = .help
            default:
                throw UsageError("unknown option \(OneLine.quoted(parts[0]))")
            }
            if value != nil { throw UsageError("\(parts[0]) takes no value") }
            if command == .help { return }
        }
        if recording != nil, command != .intake { throw UsageError("--record is for an intake") }
    }

    private static func endpoint(_ text: String) throws(UsageError) -> URL {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
            url.host()?.isEmpty == false
        else {
            // Does not repeat the text, which may contain a password.
            throw UsageError("--payments needs an http or https URL")
        }
        return url
    }
}

/// An invalid command line.
struct UsageError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension Options {
    static let usage = """
        usage: error-bus-demo [INBOX] [--payments URL] [--keep] [--record FILE] [--explain | --interactive] [--help]
               error-bus-demo replay FILE ... [--changed] [--help]
        """

    static let help = """
        \(usage)

        An order-intake service whose errors are all real. It reads the order files (*.json) of an inbox folder with
        several workers at once, and posts the accepted orders to a payment endpoint over HTTP. No worker handles an
        error: all of them go to one error bus, each in the scope of the part that met it, the intake or the payments,
        and at the end a table shows which rule took how many of either.

          INBOX            the folder with the order files, each of at most 16 MiB. Without it, some hundreds of
                           orders are made in a temporary folder, dozens of them broken in one way or another.
                           Nothing in your folder is changed but this: files that cannot be decoded are moved to
                           INBOX-quarantine beside it, under another name where theirs is taken.
          --payments URL   the payment endpoint; each accepted order is posted to it as JSON, and again where it was
                           not reached, or says 429 or 5xx. Without it, orders go to a closed port of this machine, so
                           that payments fail with URLSession's own error until the circuit before them opens.
          --keep           keeps the temporary folder.
          --record FILE    appends each error, with its outcome, to the file as a line of JSON.
          replay FILE ...  asks the program's rules of the errors in the files, and says which they would treat in
                           another way than when they were recorded; with --changed rules of which two have been
                           changed. Has options and statuses of its own: see replay --help. (For an inbox of that
                           name: ./replay)
          --explain        shows, for one error of each kind, which rules would take it, and runs no action: it
                           moves no file and pays no order.
          --interactive    shows the errors to you, one at a time, while the intake runs: r tries again what can be
                           tried again, d dismisses an error, and q quits. It needs a terminal.
          --help, -h       shows this.

        Exit status: 0 if every error is accounted for and none is pending, else 70; 64 if the command line makes no
        sense, or there is no terminal for --interactive; 66 if the inbox cannot be read; 74 if standard output cannot
        be written, unless its reader has ended; 130 after Ctrl-C, and 143 after SIGTERM. Either lets what has begun
        come to its end; where that takes more than 3 seconds, another one cuts it short.

        """
}
