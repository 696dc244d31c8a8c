/// The decisions of one execution, which are enough to repeat it.
///
/// A schedule's string begins with the locations at which threads compete. Wherever several threads could continue, a
/// digit for the chosen thread follows. `~` and a digit represent the number of newer stores that a load misses.
package struct Schedule: Sendable, CustomStringConvertible {
    enum Choice: Equatable, Sendable {
        case thread(Int)
        case staleness(Int)
    }

    let contended: [Location.Name]
    let choices: [Choice]

    init(_ contended: [Location.Name], _ choices: [Choice]) { (self.contended, self.choices) = (contended, choices) }

    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let names = parts[0].split(separator: ",").map { Location.Name($0) }
        var (choices, isStaleness): ([Choice], Bool) = ([], false)
        for character in parts[1] {
            guard let number = character.wholeNumberValue else {
                if character != "~" { return nil }
                isStaleness = true
                continue
            }
            choices.append(isStaleness ? .staleness(number) : .thread(number))
            isStaleness = false
        }
        if names.contains(nil) { return nil }
        self.init(names.compactMap(\.self), choices)
    }

    package var description: String {
        let choices = choices.map { choice in
            switch choice {
            case .thread(let number): "\(number)"
            case .staleness(let number): "~\(number)"
            }
        }
        return contended.map(\.description).joined(separator: ",") + "/" + choices.joined()
    }
}
