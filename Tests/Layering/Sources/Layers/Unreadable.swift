/// Why there is nothing to judge: no index, or one that is not of these sources.
struct Unreadable: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
