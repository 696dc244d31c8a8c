/// A bus's flood limit while the worker is in the lane, and lets reports pass without the lock.
///
/// Unchecked, since it is the worker's own then: who opens the lane, under the lock, hands it over, and who closes it,
/// the same worker, takes it back. It holds nothing meanwhile, so that a shutdown, which comes from elsewhere, has
/// nothing to ask of it.
final class LaneFlood: @unchecked Sendable {
    @exclusivity(unchecked) var limiter: FloodLimiter<PendingReport>?
}
