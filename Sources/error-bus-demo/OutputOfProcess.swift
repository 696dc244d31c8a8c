import Foundation

/// Runs a body, and returns everything that the process writes to standard output and standard error during the run.
///
/// The body must write less than a pipe's capacity, because the pipe isn't read until the body has returned.
func outputOfProcess(during body: () async -> Void) async -> String {
    let pipe = Pipe()
    let streams = [STDOUT_FILENO, STDERR_FILENO]
    fflush(nil)
    let saved = streams.map { stream in
        let copy = dup(stream)
        dup2(pipe.fileHandleForWriting.fileDescriptor, stream)
        return copy
    }
    await body()
    fflush(nil)
    for (stream, copy) in zip(streams, saved) {
        dup2(copy, stream)
        close(copy)
    }
    pipe.fileHandleForWriting.closeFile()
    return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
}
