import Foundation

final class Catches {
    var orders: [Order] = []
    var error: (any Error)?
    var isLoading = false
    var rejectButton = Button()

    func empty() async {
        do { try await store.save(Order()) } catch {}  //~ empty-catch
        do { try await store.save(Order()) } catch _ {}  //~ empty-catch
        do {
            try await store.save(Order())
        } catch {  //~ empty-catch
            // TODO: handle errors
        }
        do {
            try await store.save(Order())
        } catch {  //~ empty-catch
            // The next synchronization saves it again.
        }
        do { try await Task.sleep(for: .seconds(7)) } catch {}  //~ empty-catch harmless
        do {
            try await store.save(Order())
        } catch is CancellationError {  //~ empty-catch harmless
        } catch {
            showAlert("\(error)")
        }
    }

    func printed() async {
        do { try await store.save(Order()) } catch { print(error) }  //~ print-only
        do { try await store.save(Order()) } catch { logger.debug("\(error)") }  //~ print-only
        do { try await store.save(Order()) } catch { logger.log(level: .debug, "\(error)") }  //~ print-only
        do { try await store.save(Order()) } catch { NSLog("not saved") }  //~ print-only
        do { try await store.save(Order()) } catch { logger.error("\(error)") }
        do { try await store.save(Order()) } catch { logger.info("not saved") }  //~ cause-lost
        do { try await store.save(Order()) } catch { logger.log(level: .error, "\(error)") }
    }

    func substitutes() async -> [Order]? {
        do {
            return try await store.load()
        } catch {  //~ substitute
            return nil
        }
    }

    func assigned() async {
        do {
            orders = try await store.load()
        } catch {  //~ substitute
            orders = []
            isLoading = false
        }
        do {
            orders = try await store.load()
        } catch {  //~ substitute
            if error is OutOfStock { showAlert("Out of stock") }
        }
        do {
            orders = try await store.load()
        } catch {  //~ substitute
            self.error = nil
        }
    }

    // A vibration doesn't say what failed, and the word "reject" in a button's name doesn't report a failure.
    func buzzed(_ feedback: Feedback) async {
        do {
            orders = try await store.load()
        } catch {  //~ substitute
            feedback.generate(.error)
            rejectButton.isEnabled = true
        }
        do {
            orders = try await store.load()
        } catch is OutOfStock {  //~ substitute harmless
            orders = []
        } catch {
            self.error = error
        }
    }

    // A setter with an empty value is no report, and `failed: true` is one.
    func passed() async {
        do {
            orders = try await store.load()
        } catch is OutOfStock {  //~ substitute harmless
            await setOrders([])
        } catch {
            finish(failed: true)
        }
        do {
            orders = try await store.load()
        } catch {  //~ substitute
            finish(failed: false)
        }
    }

    func setOrders(_ orders: [Order]) async {}
    func finish(failed: Bool) {}

    func triesAgain(_ attempt: Int) async {
        do {
            orders = try await store.load()
        } catch {
            if attempt < 3 { await triesAgain(attempt + 1) } else { self.error = error }
        }
    }

    func exists() -> Bool {
        do {
            _ = try store.parse("7")
            return true
        } catch {  //~ substitute
            return false
        }
    }

    func handled() async throws -> Result<[Order], any Error> {
        do { orders = try await store.load() } catch { self.error = error }
        do { orders = try await store.load() } catch { showAlert("No orders") }
        do { orders = try await store.load() } catch { throw OutOfStock() }
        do { orders = try await store.load() } catch let problem { report(problem) }
        do { orders = try await store.load() } catch is OutOfStock { orders = await others() }
        do { orders = try await store.load() } catch { fatalError("no orders: \(error)") }
        do { orders = try await store.load() } catch {
            guard !(error is CancellationError) else { return .success([]) }
            self.error = error
        }
        do { return .success(try await store.load()) } catch { return .failure(error) }
    }

    func others() async -> [Order] { [] }
    func report(_ problem: any Error) {}

    func reportedTwice() async throws {
        do {
            try await store.save(Order())
        } catch {  //~ reported-twice harmless
            logger.error("\(error)")
            throw error
        }
        do {
            try await store.save(Order())
        } catch {  //~ reported-twice harmless
            logger.error("\(error)")
            if isLoading { throw error } else { throw OutOfStock() }
        }
        // The log is about the cleanup.
        do {
            try await store.save(Order())
        } catch {
            do { try await store.close() } catch { logger.error("\(error)") }
            throw error
        }
        // The clause throws a different error.
        do {
            try await store.save(Order())
        } catch {
            logger.error("\(error)")
            throw OutOfStock()
        }
    }

    func forced(text: String) {
        // swift-format-ignore: NeverUseForceTry
        use(try! store.parse(text))  //~ forced-try
        // swift-format-ignore: NeverUseForceTry
        _ = try! NSRegularExpression(pattern: "[0-9]+")  //~ forced-try harmless
    }
}
