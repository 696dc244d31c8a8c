import Foundation

nonisolated final class Callbacks: @unchecked Sendable {
    func ignored() {
        store.request { data, _ in  //~ dropped-result
            guard let data else { return }
            print(data)
        }
        store.request { data, error in  //~ dropped-result
            print(data as Any, error as Any)
        }
        store.request { data, error in
            if error == nil { print(data as Any) }  //~ dropped-result
        }
        store.upload { _ in }  //~ dropped-result
        store.upload { error in  //~ dropped-result
            self.done()
        }
        store.visit { number, error -> Bool in  //~ dropped-result
            print(number, error)
            return true
        }
        store.request { data, error in  //~ dropped-result
            store.visit(errorHandler: { number, error in showAlert("\(number): \(error)") == () })
        }
        store.observe(onError: { _ in })  //~ dropped-result
        store.observe(onError: { reason in print(reason) })  //~ dropped-result
        // The closure inside shows its own.
        store.request { data, error in  //~ dropped-result
            store.upload { error in
                if let error { showAlert("\(error)") }
            }
        }
        store.fetch { if case .success(let order) = $0 { use(order) } }  //~ dropped-result
        store.fetch { result in
            switch result {
            case .success(let order): use(order)
            case .failure: Task { self.done() }  //~ dropped-result
            }
        }
        store.fetch { result in
            switch result {
            case .success(let order): use(order)
            case .failure: return self.done()  //~ dropped-result
            }
        }
        store.upload(completion: { _ in self.done() })  //~ dropped-result
        store.request { _, _ in self.done() }  //~ dropped-result
    }

    func handled(_ result: Result<Order, any Error>) -> Button {
        store.request { data, _ in
            guard let data else { return showAlert("No data") }
            print(data)
        }
        store.request { data, error in
            if error == nil { print(data as Any) }
            self.keep(error)
        }
        store.request { data, error in
            guard let data else { return self.keep(error) }
            print(data)
        }
        store.observe(onError: { reason in self.keep(reason) })
        // These closures take no error.
        _ = Silence(error: { _ in })
        store.enumerate { data, _ in
            guard let data else { return }
            print(data)
        }
        Button().addAction { _ in }
        animate(completion: { _ in self.done() })
        store.fetch { self.keep($0) }
        // Each branch is a value that is shown.
        return switch result {
        case .success: Button(isEnabled: true)
        case .failure: Button(isEnabled: false).dimmed()
        }
    }

    var onFailed: @Sendable (any Error) -> Void = { _ in }  //~ no-hook

    func done() {}
    func keep(_ error: (any Error)?) {}
    func keep(_ result: Result<Order, any Error>) {}
}
