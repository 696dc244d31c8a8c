/// What whoever brings an event to the storage does then; the worker's is ``WorkerAction``.
extension BusStorage {
    enum CloseAction {
        case nothing
        case wake
        /// It has nothing to deliver and no one to deliver it, so it ends here.
        case end
    }

    enum FlushAction {
        case idle
        /// Something is pending, and nobody waits for it.
        case busy
        case waits(wakes: Bool)
    }
}
