import Foundation
import Hummingbird

@main
struct Program {
    static func main() async throws {
        let app = try await buildApplication(ProcessInfo.processInfo.environment)
        try await app.runService()
    }
}
