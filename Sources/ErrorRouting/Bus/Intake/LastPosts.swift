/// How many posts a bus accepts once its tasks have ended.
struct LastPosts {
    private var tasksHaveEnded = false
    private var isCancelled = false

    /// Accepts no more posts than there is room for, and none if the bus was cancelled.
    mutating func tasksEnded(_ intake: borrowing BusIntake) {
        tasksHaveEnded = true
        intake.accept(atMost: isCancelled ? 0 : intake.capacity)
    }

    /// Accepts no posts once the tasks have ended.
    mutating func cancel(_ intake: borrowing BusIntake) {
        isCancelled = true
        if tasksHaveEnded { intake.accept(atMost: 0) }
    }
}
