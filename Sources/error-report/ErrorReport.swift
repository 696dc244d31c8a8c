import ErrorReplay

/// Creates a self-contained page of recorded errors: `error-report errors.jsonl* > page.html`.
@main enum ErrorReport {
    static func main() {
        IncidentCommand { Page($0).bytes }.main(Array(CommandLine.arguments.dropFirst()))
    }
}
