package import Testing

/// A tag for each numbered promise.
///
/// A suite that tests a promise has the promise's tag.
///
/// The numbers are those of each module's `Promises.md`; the core's tags begin with `promise`. To find a suite,
/// search for its tag; `PromiseTests` checks that every promise has a suite.
extension Tag {
    @Tag package static var promise1: Self
    @Tag package static var promise2: Self
    @Tag package static var promise3: Self
    @Tag package static var promise4: Self
    @Tag package static var promise5: Self
    @Tag package static var promise6: Self
    @Tag package static var promise7: Self
    @Tag package static var promise8: Self
    @Tag package static var promise9: Self
    @Tag package static var promise10: Self
    @Tag package static var promise11: Self
    @Tag package static var promise12: Self
    @Tag package static var promise13: Self
    @Tag package static var promise14: Self
    @Tag package static var promise15: Self
    @Tag package static var promise16: Self
    @Tag package static var promise17: Self
    @Tag package static var promise18: Self
    @Tag package static var promise19: Self
    @Tag package static var promise20: Self
    @Tag package static var promise21: Self
    @Tag package static var promise22: Self
    @Tag package static var promise23: Self
    @Tag package static var promise24: Self
    @Tag package static var promise25: Self
    @Tag package static var promise26: Self
    @Tag package static var promise27: Self
    @Tag package static var promise28: Self
    @Tag package static var promise29: Self
    @Tag package static var promise30: Self

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
