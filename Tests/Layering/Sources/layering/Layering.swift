import Foundation
import Layers

@main
struct Layering {
    static func main() {
        let result = LayeringCommand().run(Array(CommandLine.arguments.dropFirst()))
        if !result.output.isEmpty { print(result.output) }
        if !result.errors.isEmpty { FileHandle.standardError.write(Data((result.errors + "\n").utf8)) }
        exit(result.status.rawValue)
    }
}
