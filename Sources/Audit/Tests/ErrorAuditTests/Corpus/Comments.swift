func comments() async {
    // error-audit: harmless, because the next order saves this one too
    try? await store.save(Order())
    try? await store.save(Order())  // error-audit: harmless, because the next order saves this one too
    try? await store.save(Order())  // error-audit: harmless  //~ no-reason
    do {
        try await store.save(Order())
    } catch {  // error-audit: harmless, because the next order saves this one too
    }
}
