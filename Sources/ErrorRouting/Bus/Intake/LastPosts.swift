/// The number of posts that a bus accepts once its tasks have ended.
struct LastPosts {
    private var tasksHaveEnded = false
    private var isCancelled = false

    /// The bus accepts posts while there is room, and none if it was cancelled.
    mutating func tasksEnded(_ intake: borrowing BusIntake) {
        tasksHaveEnded = true
        intake.accept(atMost: isCancelled ? 0 : intake.capacity)
    }

    /// The bus accepts no posts once the tasks have ended.
    mutating func cancel(_ intake: borrowing BusIntake) {
        isCancelled = true
        if tasksHaveEnded { intake.accept(atMost: 0) }
    }
}
