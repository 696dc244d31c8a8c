import ErrorReplay

/// Makes a page of recorded errors, which needs nothing else: `error-report errors.jsonl* > page.html`.
@main enum ErrorReport {
    static func main() {
        IncidentCommand { Page($0).bytes }.main(Array(CommandLine.arguments.dropFirst()))
    }
}
