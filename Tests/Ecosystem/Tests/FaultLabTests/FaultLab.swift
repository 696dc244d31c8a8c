import Testing

/// Everything here runs one after the other, so that descriptors and memory are those of one test, and a short time
/// limit is not used up by another test's work.
@Suite(.serialized, .timeLimit(.minutes(20)))
enum FaultLab {}
