import ErrorRecovery
import ErrorRouting
import Foundation
import HTTPErrors
import Logging
import Synchronization

extension SentrySink {
    /// Executes the queue's steps until the queue returns `stop`.
    func sendAll() async {
        let transport = transport()
        var wakeUps = wakeUps.stream.makeAsyncIterator()
        sending: while true {
            switch queue.withLock({ $0.next(at: now()) }) {
            case .send(let chosen): await send(chosen, over: transport)
            case .report(let counts):
                do {
                    let envelope = try Envelope(counts, sentAt: Date())
                    await send(envelope, over: transport)
                } catch {
                    // Counts can always be encoded as JSON.
                    assertionFailure("\(error)")
                    queue.withLock { $0.failed("\(error)") }
                }
            case .release(let reports): withExtendedLifetime(reports) {}
            case .wait(let end):
                let timer = end.map { end in
                    Task.detached { [self] in
                        do { try await sleep(for: end - now()) } catch { return }
                        self.wakeUps.continuation.yield()
                    }
                }
                _ = await wakeUps.next()
                timer?.cancel()
            case .stop: break sending
            }
            // Log at most one line per hour, regardless of how many events are lost.
            if let line = queue.withLock({ $0.notice(at: now()) }) { configuration.logger.warning("\(line)") }
        }
        await transport.shutDown()
        isOver()
    }

    private func send(_ chosen: Chosen, over transport: SentryTransport) async {
        let report = chosen.report
        let event = SentryEvent(report, level: chosen.level, tags: configuration.tags(report), of: process)
        guard let event = configuration.beforeSend(event, report) else {
            return queue.withLock { $0.discarded(.beforeSend) }
        }
        let envelope: Envelope
        do {
            envelope = try Envelope(configuration.redact(event), sentAt: Date())
        } catch {
            return queue.withLock { $0.discarded(.internalError) }
        }
        await send(envelope, over: transport)
    }

    /// Sends an envelope, and reports the result to the queue.
    private func send(_ envelope: Envelope, over transport: SentryTransport) async {
        var request = TransportRequest(method: .post, url: dsn.url, timeout: configuration.timeout)
        request.headers["Content-Type"] = "application/x-sentry-envelope"
        request.headers["User-Agent"] = SentryEvent.client
        request.headers["X-Sentry-Auth"] = dsn.authorization
        request.body = envelope.bytes
        // error-audit: harmless, because the envelope is then sent uncompressed
        if configuration.isCompressed, let compressed = try? envelope.compressed {
            request.body = compressed
            request.headers["Content-Encoding"] = "gzip"
        }
        do {
            // Retry without risk: Sentry stores only one event per identifier, so a second attempt doesn't create a
            // second event.
            let response = try await retry(configuration.retry) { _ in try await transport.send(request) }
            let failure = HTTPFailure(status: response.status, headers: response.headers)
            queue.withLock {
                $0.answered(
                    status: response.status, header: response.headers["X-Sentry-Rate-Limits"],
                    retryAfter: failure.retryAfter, at: now())
            }
        } catch {
            let cause = ErrorReport(error: error, source: .init()).message
            queue.withLock { $0.failed(cause) }
        }
    }
}
