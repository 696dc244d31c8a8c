import ErrorRouting

/// An error that determines how long its banner stays on screen.
///
/// ```swift
/// extension Offline: BannerDurationProviding { var bannerDuration: Duration? { nil } }  // until the network is back
/// ```
public protocol BannerDurationProviding: Error {
    /// How long the error's banner stays on screen; nil if it stays until dismissed.
    var bannerDuration: Duration? { get }
}

/// Times the shown banner.
extension ErrorPresenter {
    /// Starts the shown banner's timer and stops the timer of a banner that is gone.
    ///
    /// The timer is stopped while the scene isn't active, because the user doesn't see the banner. It is also stopped
    /// while the banner's operation is being retried, because the user is waiting for the result.
    func timeBanner() {
        let banner = banner.flatMap { !isActive || machine.isRetrying($0.id) ? nil : $0 }
        if banner?.id == timedBanner?.id { return }
        timedBanner?.task.cancel()
        timedBanner = nil
        guard let banner, let duration = banner.recovery?.bannerDuration ?? bannerDuration else { return }
        // Detach the task, so that it doesn't retain the caller's task-local values. Capture only the ID: releasing the
        // error might run user code, which belongs on the main actor.
        let task = Task.detached { [weak self, clock, id = banner.id] in
            // error-audit: harmless, because the sleep fails only if the banner is gone early
            guard (try? await sleep(for: duration, on: clock)) != nil else { return }
            await self?.close(id)
        }
        timedBanner = (banner.id, task)
    }
}
