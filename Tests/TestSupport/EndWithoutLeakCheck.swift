import Foundation

/// Ends the process of an exit test that has changed its user.
///
/// The leak check at exit traces the process, which the system forbids after a change of the user, so it would fail.
package func endWithoutLeakCheck() -> Never {
    fflush(nil)
    _exit(EXIT_SUCCESS)
}
