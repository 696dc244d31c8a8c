import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension ServiceProcess {
    /// Starts a program and sends its standard output and standard error to one descriptor.
    ///
    /// - Throws: ``NotStarted`` if the program can't be started.
    static func spawn(_ path: String, _ variables: [String: String], _ output: Int32) throws -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        // Reset the signals to their defaults, regardless of what this process has set.
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        var texts = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in texts { free(text) } }
        var arguments = [strdup(path), nil]
        defer { for argument in arguments { free(argument) } }
        var id: pid_t = 0
        let code = posix_spawn(&id, path, &actions, &attributes, &arguments, &texts)
        guard code == 0 else { throw NotStarted(code: code) }
        return id
    }
}
