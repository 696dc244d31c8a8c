import Foundation

extension BoundedPrinter {
    /// Prints an error as `NSError` describes itself, but with a bounded user info.
    mutating func writeNSError(_ value: Any, depth: Int) {
        guard let error = (value as? any Error).map({ $0 as NSError }) else { return }
        let userInfo = error.userInfo
        let described = userInfo[NSLocalizedDescriptionKey] as? String
        out.append("Error Domain=")
        out.append(TypeName.withoutAddresses(BoundedText.cut(error.domain, to: Self.byteLimit)))
        out.append(" Code=\(error.code) \"")
        out.append(described ?? error.withReason.localizedFailureReason ?? "(null)")
        out.append("\"")
        // Skips the description, which is already printed between the quotes.
        guard userInfo.count > (described == nil ? 0 : 1) else { return }
        out.append(" UserInfo={")
        let isShown = { (entry: (key: String, value: Any)) in
            described == nil || entry.key != NSLocalizedDescriptionKey
        }
        writeList(of: userInfo, isSorted: true, depth: depth, where: isShown) { printer, entry in
            printer.out.append(entry.key)
            printer.out.append("=")
            printer.write(entry.value, isNested: false, depth: depth + 1)
        }
        out.append("}")
    }

    /// Prints a coding error as Swift describes it, but without its underlying error, whose text may have any length.
    mutating func writeCodingError(_ value: Any, depth: Int) {
        switch value {
        case DecodingError.typeMismatch(let type, let context):
            write(DecodingError.typeMismatch(type, part(of: context)))
        case DecodingError.valueNotFound(let type, let context):
            write(DecodingError.valueNotFound(type, part(of: context)))
        case DecodingError.keyNotFound(let key, let context):
            write(DecodingError.keyNotFound(part(of: key), part(of: context)))
        case DecodingError.dataCorrupted(let context): write(DecodingError.dataCorrupted(part(of: context)))
        case EncodingError.invalidValue(let value, let context): writeInvalid(value, context, depth: depth)
        default: out.append(TypeName.full(type(of: value)))
        }
    }

    private mutating func write(_ error: some Error) {
        out.append(TypeName.withoutAddresses(String(describing: error)))
    }

    /// Prints an error whose value could not be encoded, with the value's type, and as much of the value as fits.
    private mutating func writeInvalid(_ value: Any, _ context: EncodingError.Context, depth: Int) {
        out.append("EncodingError.invalidValue: ")
        writeEach(of: CollectionOfOne(value), depth: depth) { $0.writeChild($1, depth: depth) }
        out.append(" (\(TypeName.short(type(of: value))))")
        let path = part(of: context.codingPath).map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }
        if !path.isEmpty { out.append(". Path: \(path.joined().trimmingPrefix("."))") }
        let text = TypeName.withoutAddresses(part(of: context.debugDescription))
        if !text.isEmpty { out.append(". Debug description: \(text)") }
    }

    // MARK: Bounded parts

    private func part(of context: DecodingError.Context) -> DecodingError.Context {
        DecodingError.Context(
            codingPath: part(of: context.codingPath), debugDescription: part(of: context.debugDescription))
    }

    private func part(of path: [any CodingKey]) -> [any CodingKey] {
        // Half of the limit is 512, and JSON nests no deeper.
        let first = path.prefix(Self.childLimit / 2).map { part(of: $0) }
        return first.count == path.count ? first : first + [CutKey(stringValue: BoundedText.mark)]
    }

    /// Returns a key of the usual length as it is, since Swift 6.2 prints the key's type.
    private func part(of key: any CodingKey) -> any CodingKey {
        let name = key.stringValue
        let cut = BoundedText.cut(name, to: 256)
        return cut == name ? key : CutKey(stringValue: cut)
    }

    private func part(of text: String) -> String { BoundedText.cut(text, to: Self.byteLimit) }

    private struct CutKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }
}
