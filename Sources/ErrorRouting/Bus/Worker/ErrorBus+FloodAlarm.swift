/// Waking the worker when a flood limit's window ends.
extension ErrorBus {
    func setAlarm(_ moment: Duration) {
        // Weak, and without the bindings that tasks inherit: the clock need not honour cancellation.
        let alarm = Self.unbound {
            Task { [weak self, clock] in
                try? await clock.sleep(moment)
                self?.alarmRings()
            }
        }
        staff.withLock { $0.alarm = alarm }
        if hasEnded { alarm.cancel() }
    }

    private func alarmRings() {
        if storage.alarmRang() { waker.yield() }
    }
}
