import AsyncAlgorithms

/// `AsyncChannel`, whose senders wait until their error is taken, and one loop over it.
final class ChannelTransport: ErrorTransport {
    private let channel = AsyncChannel<any Error>()

    func post(_ count: Int) async {
        for number in 0..<count { await channel.send(makeError(number)) }
    }

    func run() async -> Int {
        var handled = 0
        for await error in channel {
            handleBySwitch8(error)
            handled += 1
        }
        return handled
    }

    func finish() { channel.finish() }
}
