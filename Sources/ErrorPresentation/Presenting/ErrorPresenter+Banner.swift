/// An error that says by itself how long its banner stays.
///
/// ```swift
/// extension Offline: BannerDurationProviding { var bannerDuration: Duration? { nil } }  // until the network is back
/// ```
public protocol BannerDurationProviding: Error {
    /// How long the error's banner stays; nil if it stays until it is dismissed.
    var bannerDuration: Duration? { get }
}

/// The time after which a banner goes by itself.
extension ErrorPresenter {
    /// Starts the time of the shown banner, and ends that of a banner that is gone.
    ///
    /// While a banner's operation is being run again its time stands still: the person waits for the result.
    func timeBanner() {
        let id = shownBanner.flatMap { machine.isRetrying($0.id) ? nil : $0.id }
        if id == timedBanner?.id { return }
        timedBanner?.task.cancel()
        timedBanner = nil
        guard let id, let duration = recoveries[id]?.bannerDuration ?? bannerDuration else { return }
        // Detached, so that no task-local value of the caller lives on in it.
        let task = Task.detached { [weak self, clock] in
            // error-audit: harmless, because a sleep fails only if the banner is gone before its time
            guard (try? await clock.sleep(for: duration)) != nil else { return }
            await self?.endBanner(id)
        }
        timedBanner = (id, task)
    }

    private func endBanner(_ id: PresentedError.ID) {
        if shownBanner?.id == id { remove(shownBanner, keepsRecovery: true) }
    }
}
