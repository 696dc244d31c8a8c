import ErrorRouting

/// An application that uses the library and registers rules for the library's errors.
@main
struct ExampleLibrary {
    static func main() async {
        let rules = ErrorHandler.standardError.overlaid(
            with: ErrorHandler().on(Thumbnails.CacheNotWritten.self) { error, report in
                print("no cache for \(error.file), in scope \(report.scope), with \(report.metadata)")
                return .stop
            })
        let outcome = await withErrorBus(handler: rules) { bus in
            await withErrorScope("gallery", metadata: ["album": "7"]) { _ in
                let thumbnails = Thumbnails()
                do {
                    print(try await thumbnails.make(of: "cat.png"))
                    print(try await thumbnails.make(of: "cat.mov"))
                } catch {  // error-audit: harmless, because the example shows what it prints
                    print("shown without a thumbnail: \(error)")
                }
            }
            return bus
        }
        print(outcome.statistics)
        precondition(outcome.statistics.handled == 1 && outcome.statistics.unmatched == 0)
    }
}
