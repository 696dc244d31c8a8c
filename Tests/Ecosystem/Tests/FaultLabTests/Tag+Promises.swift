import Testing

/// Tags for the promises of `HTTPErrors` that the lab tests. The tags of the package's own tests aren't visible here.
extension Tag {
    @Tag static var http1: Self
    @Tag static var http3: Self
    @Tag static var http4: Self
    @Tag static var http5: Self
    @Tag static var http7: Self
    @Tag static var http8: Self
}
