import Dispatch
import Foundation

/// Makes Ctrl-C end the program in good order: the first one calls a closure, a second one kills as usual.
struct Interruption {
    private let source: any DispatchSourceSignal

    init(onInterrupt: @escaping @Sendable () -> Void) {
        // The dispatch source only watches: without this the signal would still end the process.
        signal(SIGINT, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler {
            signal(SIGINT, SIG_DFL)
            onInterrupt()
        }
        source.activate()
    }
}
