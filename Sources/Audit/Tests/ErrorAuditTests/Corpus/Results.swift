import Foundation

nonisolated final class Results: @unchecked Sendable {
    var orders: [Order] = []
    var error: (any Error)?

    func results() {
        store.fetch { result in
            switch result {
            case .success(let order): self.orders = [order]
            case .failure: break  //~ dropped-result
            }
        }
        store.fetch { result in
            if case .success(let order) = result { self.orders = [order] }  //~ dropped-result
        }
        store.fetch { result in
            guard case .success(let order) = result else { return }  //~ dropped-result
            self.orders = [order]
        }
        store.fetch { result in
            switch result {
            case .success(let order): self.orders = [order]
            default: break  //~ dropped-result
            }
        }
        store.fetch { result in
            switch result {
            case .success(let order): self.orders = [order]
            case .failure(let error): self.error = error
            }
        }
        store.fetch { result in
            if case .success(let order) = result { self.orders = [order] }
            self.keep(result)
        }
        // Other code reads the state too, and the other branch shows the failure.
        if case .success(let order) = last { orders = [order] }
        if case .success(let order) = last { orders = [order] } else if case .failure(let error) = last { keep(error) }
    }

    var last: Result<Order, any Error> = .failure(OutOfStock())
    var isSaved: Bool {
        switch last {
        case .success: true
        case .failure: false
        }
    }

    func keep(_ error: any Error) {}

    func keep(_ result: Result<Order, any Error>) {}

    func callbacks() {
        store.request { data, error in
            if let error { return }  //~ dropped-result
            print(data as Any)
        }
        store.request { data, error in
            guard error == nil else { return }  //~ dropped-result
            print(data as Any)
        }
        store.request { data, error in  //~ dropped-result
            print(data as Any)
        }
        store.upload(completion: { _ in })  //~ dropped-result
        store.request { data, error in
            if let error { self.error = error }
        }
        store.request { data, error in
            self.note(error)
            guard error == nil else { return }
            print(data as Any)
        }
        store.request { data, error in
            guard let data, error == nil else {
                showAlert("No data")
                return
            }
            print(data)
        }
    }

    func note(_ error: (any Error)?) {}

    func download(_ id: Int, didFailWithError error: any Error) {}  //~ dropped-result

    func publishers(_ publisher: Publisher<[Order], any Error>) {
        publisher.sink(receiveCompletion: { _ in }, receiveValue: { self.orders = $0 })  //~ dropped-result
        use(publisher.replaceError(with: []))  //~ dropped-result
        _ = publisher.catch { _ in Publisher<[Order], Never>() }  //~ dropped-result
        _ = publisher.recover { _ in [] }  //~ dropped-result
        _ = publisher.catch {
            self.error = $0; return Publisher<[Order], Never>()
        }
        publisher
            .handleEvents(receiveCompletion: { completion in
                switch completion {
                case .finished: use([])
                case .failure: break
                }
            })
            .sink(
                receiveCompletion: { completion in
                    if case .failure(let error) = completion { self.error = error }
                }, receiveValue: { self.orders = $0 })
    }
}
