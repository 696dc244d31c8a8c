package import Testing

/// A tag for each numbered promise; a suite that tests a promise has its tag.
///
/// The numbers are those of each module's `Promises.md`; the core's tags begin with `behaviour`. To find a suite,
/// search for its tag; `PromiseTests` checks that every promise has a suite.
extension Tag {
    @Tag package static var behaviour1: Self
    @Tag package static var behaviour2: Self
    @Tag package static var behaviour3: Self
    @Tag package static var behaviour4: Self
    @Tag package static var behaviour5: Self
    @Tag package static var behaviour6: Self
    @Tag package static var behaviour7: Self
    @Tag package static var behaviour8: Self
    @Tag package static var behaviour9: Self
    @Tag package static var behaviour10: Self
    @Tag package static var behaviour11: Self
    @Tag package static var behaviour12: Self
    @Tag package static var behaviour13: Self
    @Tag package static var behaviour14: Self
    @Tag package static var behaviour15: Self
    @Tag package static var behaviour16: Self
    @Tag package static var behaviour17: Self
    @Tag package static var behaviour18: Self
    @Tag package static var behaviour19: Self
    @Tag package static var behaviour20: Self
    @Tag package static var behaviour21: Self
    @Tag package static var behaviour22: Self
    @Tag package static var behaviour23: Self
    @Tag package static var behaviour24: Self
    @Tag package static var behaviour25: Self
    @Tag package static var behaviour26: Self
    @Tag package static var behaviour27: Self
    @Tag package static var behaviour28: Self
    @Tag package static var behaviour29: Self
    @Tag package static var behaviour30: Self

    @Tag package static var recovery1: Self
    @Tag package static var recovery2: Self
    @Tag package static var recovery3: Self
    @Tag package static var recovery4: Self
    @Tag package static var recovery5: Self
    @Tag package static var recovery6: Self

    @Tag package static var http1: Self
    @Tag package static var http2: Self
    @Tag package static var http3: Self
    @Tag package static var http4: Self
    @Tag package static var http5: Self
    @Tag package static var http6: Self
    @Tag package static var http7: Self
    @Tag package static var http8: Self
    @Tag package static var http9: Self
    @Tag package static var http10: Self
    @Tag package static var http11: Self
    @Tag package static var http12: Self

    @Tag package static var presentation1: Self
    @Tag package static var presentation2: Self
    @Tag package static var presentation3: Self
    @Tag package static var presentation4: Self
    @Tag package static var presentation5: Self
    @Tag package static var presentation6: Self

    @Tag package static var recording1: Self
    @Tag package static var recording2: Self
    @Tag package static var recording3: Self
    @Tag package static var recording4: Self
    @Tag package static var recording5: Self
    @Tag package static var recording6: Self
    @Tag package static var recording7: Self
    @Tag package static var recording8: Self
}
